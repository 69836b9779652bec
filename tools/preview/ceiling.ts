import { gpuSize, priceTableDate } from "../../core/vm-sizes";
import { isObject, type Properties, type Value } from "./engine/values";

/** Hours of a month as cloud price lists count them. */
export const hoursPerMonth = 730;

/** The most that one GPU node pool can grow to. Null where the plan or the price table does not tell. */
export interface PoolCeiling {
  /** URN of the agent pool. */
  urn: string;
  /** Name of the pool in AKS. */
  pool: string;
  /** Name of the cluster in Azure; its logical name while that is not known. */
  cluster: string;
  vmSize: string;
  spot: boolean;
  minNodes: number | null;
  maxNodes: number | null;
  gpus: number | null;
  gpuMemoryGiB: number | null;
  /** With all nodes on all month, in US dollars at list price. Spot pools cost less. */
  monthlyUsd: number | null;
}

/** The GPU ceiling of a stack. */
export interface GpuCost {
  currency: "USD";
  /** Day (ISO 8601) of the price list. */
  priceTableDate: string;
  hoursPerMonth: number;
  pools: PoolCeiling[];
  /** Sums over all pools; null when one of them is not known. */
  total: { nodes: number | null; gpus: number | null; gpuMemoryGiB: number | null; monthlyUsd: number | null };
}

interface PoolResource {
  urn: string;
  type: string;
  name: string;
  inputs: Properties;
  propertyDependencies?: Record<string, string[]>;
}

const text = (value: Value | undefined): string | undefined => (typeof value === "string" ? value : undefined);
const number = (value: Value | undefined): number | null => (typeof value === "number" ? value : null);
const times = (a: number | null, b: number | null | undefined): number | null =>
  a === null || b === null || b === undefined ? null : rounded(a * b);
/** Without the noise of binary fractions: partial GPUs are sixths and thirds. */
const rounded = (value: number): number => Math.round(value * 1000) / 1000;

/** Agent pools with GPUs and those whose size the table does not know: a size it lacks may well have GPUs. */
function poolCeiling({ urn, name, inputs, propertyDependencies }: PoolResource): PoolCeiling | undefined {
  const vmSize = text(inputs["vmSize"]);
  const size = vmSize === undefined ? undefined : gpuSize(vmSize);
  const looksLikeGpu = vmSize === undefined || /^Standard_N[CDGV]/i.test(vmSize);
  if (size === undefined && !looksLikeGpu) return undefined;
  const scaled = inputs["enableAutoScaling"] === true;
  const maxNodes = number(scaled ? inputs["maxCount"] : inputs["count"]);
  return {
    urn,
    pool: text(inputs["agentPoolName"]) ?? name,
    cluster: text(inputs["resourceName"]) ?? logicalName(propertyDependencies?.["resourceName"]?.[0]),
    vmSize: vmSize ?? "not known yet",
    spot: inputs["scaleSetPriority"] === "Spot",
    minNodes: number(scaled ? inputs["minCount"] : inputs["count"]),
    maxNodes,
    gpus: times(maxNodes, size?.gpus),
    gpuMemoryGiB: times(maxNodes, size?.gpuMemoryGiB),
    monthlyUsd: times(maxNodes, size?.hourlyUsd === undefined ? null : size.hourlyUsd * hoursPerMonth),
  };
}

const logicalName = (urn: string | undefined): string => urn?.split("::").at(-1) ?? "not known yet";

function sum(values: readonly (number | null)[]): number | null {
  return values.reduce<number | null>((total, value) => (total === null || value === null ? null : total + value), 0);
}

/** Adds up what the GPU pools of a plan can grow to. Inputs as in the plan. */
export function gpuCeiling(resources: readonly PoolResource[]): GpuCost {
  const pools = resources
    .flatMap((resource) => [resource, ...inlinePools(resource)])
    .filter((resource) => resource.type === "azure-native:containerservice:AgentPool")
    .map(poolCeiling)
    .filter((pool) => pool !== undefined);
  const total = {
    nodes: sum(pools.map((pool) => pool.maxNodes)),
    gpus: sum(pools.map((pool) => pool.gpus)),
    gpuMemoryGiB: sum(pools.map((pool) => pool.gpuMemoryGiB)),
    monthlyUsd: sum(pools.map((pool) => pool.monthlyUsd)),
  };
  return { currency: "USD", priceTableDate, hoursPerMonth, pools, total };
}

/** Pools written into the cluster itself, in the form of an agent pool. */
function inlinePools({ urn, type, name, inputs }: PoolResource): PoolResource[] {
  const profiles = inputs["agentPoolProfiles"];
  if (type !== "azure-native:containerservice:ManagedCluster" || !Array.isArray(profiles)) return [];
  return profiles.filter(isObject).map((profile) => ({
    urn,
    type: "azure-native:containerservice:AgentPool",
    name: text(profile["name"]) ?? name,
    inputs: { ...profile, agentPoolName: profile["name"] ?? name, resourceName: inputs["resourceName"] ?? name },
  }));
}
