import * as fs from "node:fs";
import * as https from "node:https";
import { apiServerUrl } from "./addresses";
import { type KeyPair } from "./certificates";

export interface KubernetesObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string; readonly [key: string]: unknown };
  readonly [key: string]: unknown;
}

export interface ApiResponse {
  readonly status: number;
  readonly text: string;
}

/** The little of a Kubernetes client that the parts need: requests by a client certificate. */
export class KubernetesApi {
  private readonly agent: https.Agent;

  constructor(authority: KeyPair, client: KeyPair) {
    this.agent = new https.Agent({
      ca: fs.readFileSync(authority.certificate),
      cert: fs.readFileSync(client.certificate),
      key: fs.readFileSync(client.key),
      keepAlive: false,
    });
  }

  /** Sends one request and returns the answer, whatever its status. */
  request(method: string, path: string, body?: unknown, contentType = "application/json"): Promise<ApiResponse> {
    return new Promise((resolve, reject) => {
      const options = { method, agent: this.agent, headers: { "content-type": contentType }, timeout: 30_000 };
      const request = https.request(new URL(path, apiServerUrl), options, (response) => {
        let text = "";
        response.setEncoding("utf8").on("data", (part: string) => (text += part));
        response.on("error", reject);
        response.on("end", () => {
          resolve({ status: response.statusCode ?? 0, text });
        });
      });
      request.on("timeout", () => request.destroy(new Error(`${method} ${path} was not answered in 30 s`)));
      request.on("error", reject);
      request.end(body === undefined ? undefined : JSON.stringify(body));
    });
  }

  /** Reads `path` as JSON; fails on any status but 2xx. */
  async get<T>(path: string): Promise<T> {
    return JSON.parse((await this.expectSuccess("GET", path)).text) as T;
  }

  /** Whether `GET path` is answered with 200; a refused connection counts as no. */
  async answers(path: string): Promise<boolean> {
    return this.request("GET", path).then(
      ({ status }) => status === 200,
      () => false,
    );
  }

  /** Server-side apply of one object at its collection's path, such as `/api/v1/namespaces/kube-system/services`. */
  async apply(collection: string, object: KubernetesObject): Promise<void> {
    const path = `${collection}/${object.metadata.name}?fieldManager=triton-azure-e2e&force=true`;
    await this.expectSuccess("PATCH", path, object, "application/apply-patch+yaml");
  }

  async mergePatch(path: string, patch: unknown): Promise<void> {
    await this.expectSuccess("PATCH", path, patch, "application/merge-patch+json");
  }

  /** Deletes the object at `path`; that it is not there is fine. */
  async remove(path: string): Promise<void> {
    const { status, text } = await this.request("DELETE", path);
    if (status !== 404 && status >= 300) throw new Error(`DELETE ${path}: ${String(status)} ${text}`);
  }

  private async expectSuccess(method: string, path: string, body?: unknown, type?: string): Promise<ApiResponse> {
    const response = await this.request(method, path, body, type);
    if (response.status < 200 || response.status > 299) {
      throw new Error(`${method} ${path}: ${String(response.status)} ${response.text.slice(0, 1000)}`);
    }
    return response;
  }
}
