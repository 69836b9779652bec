import * as http from "node:http";
import type { AddressInfo } from "node:net";
import { stringify } from "yaml";

/** A Kubernetes object, as far as the fake server looks at it. */
export interface KubernetesObject {
  kind: string;
  metadata: {
    name: string;
    namespace?: string;
    labels?: Record<string, string>;
    resourceVersion?: string;
    [field: string]: unknown;
  };
  [field: string]: unknown;
}

const paths: Record<string, string> = {
  Deployment: "apis/apps/v1",
  ReplicaSet: "apis/apps/v1",
  Event: "api/v1",
  Pod: "api/v1",
  Secret: "api/v1",
};

/**
 * An API server that behaves as Kubernetes' own in what the program asks of it: lists by label and field selectors, merge
 * patches with optimistic locking by resource version, Status objects as errors, logs as plain text.
 */
export class ApiServer {
  readonly objects = new Map<string, KubernetesObject>();
  /** What `kubectl logs POD -c CONTAINER` gives, with `--previous` where the last word is `previous`. */
  readonly logs = new Map<`${string} ${string}` | `${string} ${string} previous`, string>();
  readonly requests: { method: string; path: string; authorization: string | undefined }[] = [];
  /** Called before each request is answered: may change objects, or answer a Status to send instead. */
  intercept: (method: string, path: string) => { code: number; message: string } | undefined = () => undefined;
  private version = 100;
  private readonly server = http.createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const { code, body } = this.answer(request, Buffer.concat(chunks).toString("utf8"));
      if (typeof body === "string") response.writeHead(code, { "content-type": "text/plain" }).end(body);
      else response.writeHead(code, { "content-type": "application/json" }).end(JSON.stringify(body));
    });
  });

  async start(): Promise<this> {
    await new Promise<void>((resolve) => this.server.listen(0, "127.0.0.1", resolve));
    return this;
  }

  stop(): Promise<void> {
    this.server.closeAllConnections();
    return new Promise((resolve) => this.server.close(() => resolve()));
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** A kubeconfig for this server; its user may be replaced. */
  kubeconfig(user: object = { token: "test-token" }): string {
    return stringify({
      apiVersion: "v1",
      kind: "Config",
      "current-context": "it",
      contexts: [
        { name: "other", context: { cluster: "nowhere", user: "nobody" } },
        { name: "it", context: { cluster: "here", user: "me" } },
      ],
      clusters: [
        { name: "nowhere", cluster: { server: "http://127.0.0.1:1" } },
        { name: "here", cluster: { server: this.url } },
      ],
      users: [
        { name: "nobody", user: {} },
        { name: "me", user },
      ],
    });
  }

  put(object: KubernetesObject): void {
    object.metadata.resourceVersion = String(++this.version);
    this.objects.set(this.pathOf(object), object);
  }

  private pathOf({ kind, metadata }: KubernetesObject): string {
    return `/${paths[kind]}/namespaces/${metadata.namespace ?? "triton"}/${kind.toLowerCase()}s/${metadata.name}`;
  }

  private answer(request: http.IncomingMessage, body: string): { code: number; body: unknown } {
    const url = new URL(request.url ?? "/", this.url);
    const method = request.method ?? "GET";
    this.requests.push({ method, path: url.pathname, authorization: request.headers.authorization });
    if (url.pathname === "/version") return { code: 200, body: { major: "1", minor: "35", gitVersion: "v1.35.0" } };
    const refusal = this.intercept(method, url.pathname);
    if (refusal !== undefined) return failure(refusal.code, refusal.message);
    if (method === "PATCH") return this.patch(url.pathname, JSON.parse(body) as KubernetesObject, request);
    if (url.pathname.endsWith("/log")) return this.log(url);
    const object = this.objects.get(url.pathname);
    if (object !== undefined) return { code: 200, body: object };
    const items = [...this.objects].filter(([path]) => path.slice(0, path.lastIndexOf("/")) === url.pathname);
    if (items.length === 0 && /s\/[^/]+$/.test(url.pathname) && !url.search.includes("Selector")) {
      return failure(404, `${url.pathname.split("/").at(-2)} "${url.pathname.split("/").at(-1)}" not found`);
    }
    const selected = items
      .map(([, item]) => item)
      .filter((item) => matches(url.searchParams.get("labelSelector"), (key) => item.metadata.labels?.[key]))
      .filter((item) => matches(url.searchParams.get("fieldSelector"), (key) => fieldOf(item, key)));
    const kind = Object.keys(paths).find((found) => url.pathname.endsWith(`/${found.toLowerCase()}s`));
    return { code: 200, body: { kind: `${kind}List`, apiVersion: "v1", metadata: {}, items: selected } };
  }

  private log({ pathname, searchParams }: URL): { code: number; body: unknown } {
    const pod = pathname.split("/").at(-2) ?? "";
    const container = searchParams.get("container") ?? "";
    const previous = searchParams.get("previous") === "true";
    const log = this.logs.get(previous ? `${pod} ${container} previous` : `${pod} ${container}`);
    if (log !== undefined) return { code: 200, body: log };
    return previous
      ? failure(400, `previous terminated container "${container}" in pod "${pod}" not found`)
      : failure(400, `container "${container}" in pod "${pod}" is waiting to start: ContainerCreating`);
  }

  private patch(path: string, patch: KubernetesObject, request: http.IncomingMessage): { code: number; body: unknown } {
    const object = this.objects.get(path);
    if (object === undefined) return failure(404, `${path} not found`);
    if (request.headers["content-type"] !== "application/merge-patch+json")
      return failure(415, "unsupported media type");
    const wanted = patch.metadata.resourceVersion;
    if (wanted !== undefined && wanted !== object.metadata.resourceVersion) {
      return failure(409, `Operation cannot be fulfilled: the object has been modified`);
    }
    this.put(merge(object, patch) as KubernetesObject);
    return { code: 200, body: this.objects.get(path) };
  }
}

const failure = (code: number, message: string) => ({
  code,
  body: { kind: "Status", apiVersion: "v1", status: "Failure", message, code },
});

const matches = (selector: string | null, valueOf: (key: string) => unknown): boolean =>
  (selector ?? "")
    .split(",")
    .filter((term) => term !== "")
    .every((term) => {
      const [key = "", value] = term.split("=");
      return valueOf(key) === value;
    });

const fieldOf = (object: unknown, path: string): unknown =>
  path.split(".").reduce((value: unknown, key) => (value as Record<string, unknown> | undefined)?.[key], object);

/** RFC 7396. */
function merge(target: unknown, patch: unknown): unknown {
  if (typeof patch !== "object" || patch === null || Array.isArray(patch)) return patch;
  const result: Record<string, unknown> = { ...(target as object) };
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete result[key];
    else result[key] = merge(result[key], value);
  }
  return result;
}
