import { parse, stringify } from "yaml";

/**
 * Ways of kubelogin to get a token that never ask anybody. Those that do (`devicecode`, `interactive`) would hang where
 * nobody looks, and `ropc` wants a password; see "Login Modes" of the kubelogin documentation.
 */
export const kubeloginMethods = ["azurecli", "azd", "workloadidentity", "azurepipelines", "spn", "msi"] as const;

export type KubeloginMethod = (typeof kubeloginMethods)[number];

/** What is wrong with a kubeconfig or with how to log in. The message holds nothing of the kubeconfig itself. */
export class KubeconfigError extends Error {
  /** @internal Marks the error for Pulumi, which then prints the message without a stack trace. */
  readonly __pulumiRunError = true;
  override readonly name = "KubeconfigError";
}

const isMethod = (text: string): text is KubeloginMethod => kubeloginMethods.some((method) => method === text);

/**
 * How to log in to clusters from where the program runs: kubelogin's own variable `AAD_LOGIN_METHOD`, else `azurecli`.
 * In CI with federated tokens it must be `workloadidentity`: the Azure CLI keeps one assertion, which soon expires.
 *
 * @throws KubeconfigError for a method that is unknown or would ask
 */
export function kubeloginMethod(env: Readonly<Record<string, string | undefined>>): KubeloginMethod {
  const text = env["AAD_LOGIN_METHOD"]?.trim() ?? "";
  if (text === "") return "azurecli";
  if (isMethod(text)) return text;
  throw new KubeconfigError(
    `AAD_LOGIN_METHOD is "${text}"; use one that never asks: ${kubeloginMethods.join(", ")} (azurecli when unset)`,
  );
}

type Fields = Record<string, unknown>;

const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/**
 * The kubeconfig that AKS gives to users of an Entra ID cluster (format `exec`), changed so that kubelogin logs in by the
 * given method. Server, tenant and environment stay. The client id goes: it is the application of the interactive methods,
 * and the others would take it for the identity to log in as instead of the one in `AZURE_CLIENT_ID`. Users that do not
 * go through kubelogin, such as those with client certificates, stay as they are. Equal input gives equal text.
 *
 * @param kubeconfig YAML or JSON
 * @throws KubeconfigError when it is unreadable or logs in by the provider that client-go has dropped
 */
export function withLogin(kubeconfig: string, method: KubeloginMethod): string {
  const config = read(kubeconfig);
  const users = config["users"];
  if (!Array.isArray(users) || users.length === 0) throw unreadable("it has no users");
  return stringify({ ...config, users: users.map((user: unknown) => withUserLogin(user, method)) }, { lineWidth: 0 });
}

const unreadable = (why: string): KubeconfigError =>
  new KubeconfigError(
    `the cluster's kubeconfig cannot be used: ${why}; it must be a kubeconfig in YAML, in the format "exec"`,
  );

function read(kubeconfig: string): Fields {
  let config: unknown;
  try {
    config = parse(kubeconfig);
  } catch {
    // The parser quotes the line it stumbles over, which may hold a key.
    throw unreadable("it is not valid YAML");
  }
  if (!isFields(config)) throw unreadable("it holds no object");
  return config;
}

function withUserLogin(entry: unknown, method: KubeloginMethod): unknown {
  const user = isFields(entry) ? entry["user"] : undefined;
  if (!isFields(entry) || !isFields(user)) throw unreadable("one of its users has no credentials");
  if ("auth-provider" in user)
    throw unreadable("one of its users has an auth-provider, which Kubernetes clients no longer know");
  const exec = user["exec"];
  if (!isFields(exec) || !isKubelogin(exec["command"])) return entry;
  return { ...entry, user: { ...user, exec: { ...exec, args: withMethod(exec["args"], method) } } };
}

const isKubelogin = (command: unknown): boolean =>
  typeof command === "string" && /(^|[/\\])kubelogin(\.exe)?$/i.test(command);

/** Options of kubelogin that are replaced or left out, in all their spellings. */
const dropped = /^(--login|-l|--client-id)(=|$)/;

function withMethod(args: unknown, method: KubeloginMethod): string[] {
  const old: unknown[] = Array.isArray(args) ? args : [];
  const kept: string[] = [];
  for (let index = 0; index < old.length; index++) {
    const arg = String(old[index]);
    if (!dropped.test(arg)) kept.push(arg);
    else if (!arg.includes("=")) index++;
  }
  return [...kept, "--login", method];
}
