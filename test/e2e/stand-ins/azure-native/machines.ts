import { gpuSize } from "../../../../core/vm-sizes";
import { azureStandIn, type Properties, type Value } from "../../../../tools/preview/engine";
import { controlVariable, type NodeRequest } from "../../parts/cluster/control-service";
import { lastSegment, text } from "./rules";

/**
 * What Azure does behind its control plane: a storage account answers requests, a node pool has machines. Both are asked of
 * the cluster's control service; without one (TRITON_AZURE_E2E_CONTROL) a resource is a record alone.
 */
interface Machine {
  readonly path: string;
  readonly body: unknown;
}

/** Makes what stands behind a resource, if anything does. */
export async function makeMachines(id: string, kind: string, inputs: Properties): Promise<void> {
  for (const { path, body } of machinesOf(id, kind, inputs)) await ask("PUT", path, body);
}

export async function removeMachines(id: string, kind: string, inputs: Properties): Promise<void> {
  const machines = machinesOf(id, kind, inputs);
  // AKS drains a pool that is deleted, and honours disruption budgets; a cluster goes with all that runs on it.
  if (kind === "containerservice:AgentPool") {
    await ask("POST", "/drain", { nodes: machines.map(({ path }) => lastSegment(path)) });
  }
  for (const { path } of machines) await ask("DELETE", path);
}

/** The storage account or nodes behind a resource. */
function machinesOf(id: string, kind: string, inputs: Properties): Machine[] {
  switch (kind) {
    case "storage:StorageAccount":
      return [{ path: `/storage-accounts/${lastSegment(id)}`, body: { keys: accountKeys() } }];
    case "storage:BlobContainer": {
      const [, account = "", container = ""] = /\/storageAccounts\/([^/]+)\/.*\/([^/]+)$/i.exec(id) ?? [];
      return [{ path: `/containers/${account}/${container}`, body: undefined }];
    }
    case "containerservice:AgentPool":
      return nodesOf(lastSegment(id), inputs);
    case "containerservice:ManagedCluster":
      return list(inputs["agentPoolProfiles"]).flatMap((pool) => nodesOf(text(pool["name"]), pool));
    default:
      return [];
  }
}

/**
 * GPU pools have real nodes, as many as the cluster autoscaler may add but two at most, which is what one machine carries;
 * other pools have fake ones, as many as they start with.
 */
function nodesOf(pool: string, inputs: Properties): Machine[] {
  const labels = (inputs["nodeLabels"] ?? {}) as Record<string, string>;
  const size = gpuSize(text(inputs["vmSize"]));
  const count = size !== undefined ? Math.min(2, Number(inputs["maxCount"] ?? 1)) : Number(inputs["count"] ?? 1);
  return Array.from({ length: count }, (_, index) => {
    const name = `aks-${pool}-vmss${String(index).padStart(6, "0")}`;
    const body: NodeRequest = {
      kind: size !== undefined ? "real" : "fake",
      name,
      labels: {
        agentpool: pool,
        "kubernetes.azure.com/agentpool": pool,
        "kubernetes.azure.com/mode": text(inputs["mode"]).toLowerCase(),
        "node.kubernetes.io/instance-type": text(inputs["vmSize"]),
        ...(inputs["scaleSetPriority"] === "Spot" ? { "kubernetes.azure.com/scalesetpriority": "spot" } : {}),
        ...labels,
      },
      taints: strings(inputs["nodeTaints"]).map(taint),
      // A size that owns a share of a GPU shows it as one.
      ...(size !== undefined ? { extendedResources: { "nvidia.com/gpu": String(Math.ceil(size.gpus)) } } : {}),
    };
    return { path: `/nodes/${name}`, body };
  });
}

/** A taint as AKS takes it, `key=value:Effect`. */
function taint(written: string) {
  const [, key = "", value = "", effect = ""] = /^([^=]+)=([^:]*):(.+)$/.exec(written) ?? [];
  return { key, value, effect: effect as "NoSchedule" };
}

/** The keys that listStorageAccountKeys answers. */
const accountKeys = (): string[] =>
  list(azureStandIn.invoke("azure-native:storage:listStorageAccountKeys", {})["keys"]).map(({ value }) => text(value));

const list = (value: Value | undefined): Properties[] => (Array.isArray(value) ? (value as Properties[]) : []);
const strings = (value: Value | undefined): string[] => (Array.isArray(value) ? (value as string[]) : []);

async function ask(method: "PUT" | "POST" | "DELETE", path: string, body?: unknown): Promise<void> {
  const control = process.env[controlVariable];
  if (control === undefined) return;
  const response = await fetch(`${control}${path}`, {
    method,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  if (!response.ok) throw new Error(`${method} ${path}: ${await response.text()}`);
}
