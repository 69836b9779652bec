import * as http from "node:http";
import { addresses } from "../lib/addresses";
import { type AccountKeys } from "./azurite";
import { type Cluster } from "./cluster";
import { type FakeNodeSpec } from "./kwok";
import { type NodeSpec } from "./node";

/** Environment variable that names the control service to programs in the sandbox, such as the azure-native stand-in. */
export const controlVariable = "TRITON_AZURE_E2E_CONTROL";

/** Body of `PUT /nodes/<name>`. */
export type NodeRequest = (NodeSpec & { readonly kind: "real" }) | (FakeNodeSpec & { readonly kind: "fake" });

/**
 * Lets another process change the cluster as Azure's control plane would:
 *
 * - `GET /kubeconfig`: kubeconfig of a cluster administrator, as a text.
 * - `PUT /storage-accounts/<name>` with `{"keys": [...]}`, `DELETE /storage-accounts/<name>`.
 * - `PUT /containers/<account>/<container>`, `DELETE /containers/<account>/<container>`.
 * - `PUT /nodes/<name>` with a NodeRequest, `DELETE /nodes/<name>`.
 * - `POST /drain` with `{"nodes": [...]}`: see Cluster.drain.
 *
 * An answer comes when the change is done: 200, or 500 with the reason. Requests are served one after the other.
 */
export class ControlService {
  private readonly server: http.Server;
  private last: Promise<unknown> = Promise.resolve();

  constructor(private readonly cluster: Cluster) {
    this.server = http.createServer((request, response) => {
      const answer = this.last.then(() => this.serve(request));
      this.last = answer.catch(() => undefined);
      answer.then(
        (text) => response.writeHead(200).end(text),
        (error: unknown) => response.writeHead(500).end(error instanceof Error ? error.message : String(error)),
      );
    });
  }

  start(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.server.once("error", reject);
      this.server.listen({ host: addresses.control, port: 80 }, () => {
        process.env[controlVariable] = `http://${addresses.control}`;
        resolve();
      });
    });
  }

  stop(): Promise<void> {
    return new Promise((resolve) => {
      this.server.close(() => {
        resolve();
      });
      this.server.closeAllConnections();
    });
  }

  private async serve(request: http.IncomingMessage): Promise<string> {
    const [kind, name, below] = (request.url ?? "/").slice(1).split("/").map(decodeURIComponent);
    const body = await text(request);
    switch (`${request.method ?? ""} ${kind ?? ""}`) {
      case "GET kubeconfig":
        return this.cluster.kubeconfigText;
      case "PUT storage-accounts":
        await this.cluster.azurite.setAccount(required(name), (JSON.parse(body) as { keys: AccountKeys }).keys);
        return "";
      case "DELETE storage-accounts":
        await this.cluster.azurite.removeAccount(required(name));
        return "";
      case "PUT containers":
        await this.cluster.azurite.client(required(name)).createContainer(required(below));
        return "";
      case "DELETE containers":
        await this.cluster.azurite.client(required(name)).deleteContainer(required(below));
        return "";
      case "PUT nodes": {
        const node = { ...(JSON.parse(body) as NodeRequest), name: required(name) };
        await (node.kind === "real" ? this.cluster.addNode(node) : this.cluster.addFakeNodes([node]));
        return "";
      }
      case "POST drain":
        await this.cluster.drain((JSON.parse(body) as { nodes: string[] }).nodes);
        return "";
      case "DELETE nodes":
        await this.cluster.removeNode(required(name));
        return "";
      default:
        throw new Error(`no such request: ${request.method ?? ""} ${request.url ?? ""}`);
    }
  }
}

function required(name: string | undefined): string {
  if (name === undefined || name === "") throw new Error("the path lacks a name");
  return name;
}

async function text(request: http.IncomingMessage): Promise<string> {
  let all = "";
  for await (const part of request.setEncoding("utf8")) all += String(part);
  return all;
}
