import { parse } from "yaml";
import { kubeloginMethods } from "../../core/kubeconfig";
import { isFields } from "../support/inputs";
import { resourceRule } from "../support/rule";

/** Fields of a kubeconfig user that hold a credential of its own (client-go, clientcmd API v1, AuthInfo). */
const credentials = [
  "client-certificate",
  "client-certificate-data",
  "client-key",
  "client-key-data",
  "token",
  "tokenFile",
  "username",
  "password",
  "auth-provider",
];

/**
 * Policies see secrets opened, so this one cannot tell whether the kubeconfig is marked secret. It judges what is in it,
 * and never quotes it.
 */
export const kubeconfigNoCredentials = resourceRule({
  name: "kubeconfig-no-credentials",
  description: "Kubernetes providers log in by kubelogin without asking anybody; no kubeconfig holds a credential.",
  enforcementLevel: "mandatory",
  severity: "critical",
  remediationSteps:
    "Take the kubeconfig from listManagedClusterUserCredentials with format exec, never from the admin credentials, and " +
    `pass kubelogin --login with one of ${kubeloginMethods.join(", ")}.`,
  on: (type) => type === "pulumi:providers:kubernetes",
  check: ({ inputs, report }) => {
    const kubeconfig = inputs.get("kubeconfig");
    if (typeof kubeconfig !== "string" || kubeconfig === "") {
      report("kubeconfig is missing; the provider would take whatever cluster the machine happens to know");
      return;
    }
    const users = usersOf(kubeconfig);
    if (users.length === 0) report("kubeconfig has no users, or cannot be read");
    users.forEach((user, index) => {
      problemsOf(user).forEach((problem) => {
        report(`kubeconfig: user ${index + 1} ${problem}`);
      });
    });
  },
});

function usersOf(kubeconfig: string): unknown[] {
  try {
    const config: unknown = parse(kubeconfig);
    const users = isFields(config) ? config["users"] : undefined;
    return Array.isArray(users) ? users.map((entry: unknown) => (isFields(entry) ? entry["user"] : undefined)) : [];
  } catch {
    return [];
  }
}

function problemsOf(user: unknown): string[] {
  if (!isFields(user)) return ["has no way to log in"];
  const held = credentials.filter((field) => field in user).map((field) => `holds ${field}; use kubelogin`);
  if (held.length > 0) return held;
  const { exec } = user;
  if (!isFields(exec) || !/(^|[/\\])kubelogin(\.exe)?$/i.test(String(exec["command"]))) {
    return ["does not log in by kubelogin"];
  }
  const method = loginMethod(Array.isArray(exec["args"]) ? exec["args"].map(String) : []);
  const methods: readonly string[] = kubeloginMethods;
  if (method !== undefined && methods.includes(method)) return [];
  return [`logs in by ${method ?? "devicecode, kubelogin's default"}, which asks somebody; pass --login azurecli`];
}

function loginMethod(args: readonly string[]): string | undefined {
  const index = args.findIndex((arg) => /^(--login|-l)(=|$)/.test(arg));
  const arg = args[index];
  return arg?.includes("=") ? arg.slice(arg.indexOf("=") + 1) : args[index + 1 || args.length];
}
