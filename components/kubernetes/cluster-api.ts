import { execFile } from "node:child_process";
import * as fs from "node:fs";
import * as http from "node:http";
import * as https from "node:https";
import { text as readText } from "node:stream/consumers";
import { parse } from "yaml";

/** The few requests that the program itself makes of a cluster, while `pulumi up` runs. */
export interface ClusterApi {
  /** @throws ClusterError */
  get<Body>(path: string, query?: Readonly<Record<string, string>>): Promise<Body>;
  /** What is not JSON: the log of a container. @throws ClusterError */
  getText(path: string, query?: Readonly<Record<string, string>>): Promise<string>;
  /** Sends a JSON merge patch. @throws ClusterError */
  patch(path: string, body: object): Promise<void>;
}

/** Why a cluster could not be asked, or what it answered. Holds nothing of the kubeconfig but the server's address. */
export class ClusterError extends Error {
  override readonly name = "ClusterError";

  constructor(
    message: string,
    /** HTTP status of the answer; undefined when there was none. */
    readonly status?: number,
  ) {
    super(message);
  }
}

/** Milliseconds until a request or a login is given up. */
const timeout = 30_000;

interface Kubeconfig {
  readonly "current-context"?: string;
  readonly contexts?: readonly { name: string; context: { cluster: string; user: string } }[];
  readonly clusters?: readonly { name: string; cluster: Cluster }[];
  readonly users?: readonly { name: string; user: User }[];
}

interface Cluster {
  readonly server: string;
  readonly "certificate-authority-data"?: string;
  readonly "certificate-authority"?: string;
  readonly "tls-server-name"?: string;
  readonly "insecure-skip-tls-verify"?: boolean;
}

interface User {
  readonly token?: string;
  readonly "client-certificate-data"?: string;
  readonly "client-certificate"?: string;
  readonly "client-key-data"?: string;
  readonly "client-key"?: string;
  readonly exec?: Exec | null;
}

/** A login program, such as kubelogin (Kubernetes: "client-go credential plugins"). */
interface Exec {
  readonly apiVersion: string;
  readonly command: string;
  readonly args?: readonly string[] | null;
  readonly env?: readonly { name: string; value: string }[] | null;
  readonly installHint?: string;
}

/** What a login program answers. */
interface Credential {
  readonly token?: string;
  readonly clientCertificateData?: string;
  readonly clientKeyData?: string;
}

/**
 * Opens a cluster by a kubeconfig, as kubectl would: with certificates, a token, or a login program. Logs in once; what it
 * gives is good as long as a token is.
 *
 * @throws ClusterError when the kubeconfig is unusable or nobody can be logged in
 */
export async function openCluster(kubeconfig: string): Promise<ClusterApi> {
  const { cluster, user } = current(kubeconfig);
  const login: Credential = user.exec ? await runLogin(user.exec) : {};
  const token = login.token ?? user.token;
  const options: https.RequestOptions = {
    headers: { accept: "application/json, */*", ...(token !== undefined && { authorization: `Bearer ${token}` }) },
    ca: content(cluster["certificate-authority-data"], cluster["certificate-authority"]),
    cert: login.clientCertificateData ?? content(user["client-certificate-data"], user["client-certificate"]),
    key: login.clientKeyData ?? content(user["client-key-data"], user["client-key"]),
    servername: cluster["tls-server-name"],
    rejectUnauthorized: cluster["insecure-skip-tls-verify"] !== true,
    timeout,
  };
  const send = (method: string, path: string, body?: object) =>
    request(new URL(cluster.server.replace(/\/$/, "") + path), { ...options, method }, body);
  const read = (path: string, query: Readonly<Record<string, string>> = {}) =>
    send("GET", `${path}?${new URLSearchParams(query).toString()}`);
  return {
    async get<Body>(path: string, query?: Readonly<Record<string, string>>) {
      return parsed(accepted(await read(path, query))) as Body;
    },
    async getText(path, query) {
      return accepted(await read(path, query)).text;
    },
    async patch(path, body) {
      parsed(accepted(await send("PATCH", path, body)));
    },
  };
}

/** Cluster and user of the current context. */
function current(text: string): { cluster: Cluster; user: User } {
  const config = read(text);
  const context = config.contexts?.find(({ name }) => name === config["current-context"])?.context;
  const cluster = config.clusters?.find(({ name }) => name === context?.cluster)?.cluster;
  const user = config.users?.find(({ name }) => name === context?.user)?.user;
  if (cluster === undefined || user === undefined) {
    throw new ClusterError("the kubeconfig's current context names no cluster and user of it");
  }
  return { cluster, user };
}

function read(text: string): Kubeconfig {
  try {
    return (parse(text) ?? {}) as Kubeconfig;
  } catch {
    // The parser quotes the line it stumbles over, which may hold a key.
    throw new ClusterError("the kubeconfig is not valid YAML");
  }
}

function content(base64: string | undefined, file: string | undefined): Buffer | undefined {
  if (base64 !== undefined) return Buffer.from(base64, "base64");
  return file === undefined ? undefined : fs.readFileSync(file);
}

function runLogin(exec: Exec): Promise<Credential> {
  const env = Object.fromEntries((exec.env ?? []).map(({ name, value }) => [name, value]));
  // eslint-disable-next-line no-restricted-syntax -- plain data, for another program
  const info = JSON.stringify({ apiVersion: exec.apiVersion, kind: "ExecCredential", spec: { interactive: false } });
  const options = { env: { ...process.env, ...env, KUBERNETES_EXEC_INFO: info }, timeout };
  return new Promise((resolve, reject) => {
    execFile(exec.command, exec.args ?? [], options, (error, stdout, stderr) => {
      if (error) {
        const why = error.code === "ENOENT" ? (exec.installHint ?? "it is not installed") : lastLine(stderr);
        reject(new ClusterError(`${exec.command} gave no credentials for the cluster: ${why}`));
        return;
      }
      try {
        resolve((JSON.parse(stdout) as { status: Credential }).status);
      } catch {
        reject(new ClusterError(`${exec.command} gave something else than credentials for the cluster`));
      }
    }).stdin?.end();
  });
}

const lastLine = (text: string): string => text.trim().split("\n").at(-1) ?? "";

async function request(url: URL, options: https.RequestOptions, body?: object): Promise<Answer> {
  // eslint-disable-next-line no-restricted-syntax -- plain data, for the API server
  const text = body === undefined ? undefined : JSON.stringify(body);
  const headers = {
    ...options.headers,
    ...(text !== undefined && {
      "content-type": "application/merge-patch+json",
      "content-length": Buffer.byteLength(text),
    }),
  };
  try {
    const response = await new Promise<http.IncomingMessage>((resolve, reject) => {
      const call = (url.protocol === "http:" ? http : https).request(url, { ...options, headers }, resolve);
      call.on("timeout", () => call.destroy(new Error(`no answer within ${timeout / 1000} s`)));
      call.on("error", reject);
      call.end(text);
    });
    return { status: response.statusCode ?? 0, text: await readText(response) };
  } catch (error) {
    // Several addresses that all fail make an error with a code and no message.
    const { message, code } = error as NodeJS.ErrnoException;
    throw new ClusterError(`the API server ${url.origin} cannot be reached: ${message === "" ? code : message}`);
  }
}

interface Answer {
  readonly status: number;
  readonly text: string;
}

/** An answer that is no error. Errors of the API server are Status objects with a message that needs no addition. */
function accepted(answer: Answer): Answer {
  const { status } = answer;
  if (status < 300) return answer;
  const { message } = parsed(answer) as { message?: string };
  throw new ClusterError(message ?? `the API server answered ${status}`, status);
}

function parsed({ status, text }: Answer): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new ClusterError(`the API server answered ${status} with something else than JSON`, status);
  }
}
