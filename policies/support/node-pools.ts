import { gpuSize, migProfilesOf } from "../../core/vm-sizes";
import type { Inputs } from "./inputs";
import type { Subject } from "./rule";
import { azure, type TypeTest } from "./types";

export const cluster: TypeTest = azure("containerservice:ManagedCluster");
export const agentPool: TypeTest = azure("containerservice:AgentPool");

/** Resources that hold node pools: a pool itself, and a cluster with pools inline. */
export const nodePools: TypeTest = azure("containerservice:ManagedCluster", "containerservice:AgentPool");

export const poolsOf = ({ type, inputs }: Pick<Subject, "type" | "inputs">): Inputs[] =>
  agentPool(type) ? [inputs] : inputs.items("agentPoolProfiles");

/** Azure's sizes with accelerators are those of the N family ("Virtual machine sizes overview"). */
export const isGpuSize = (size: unknown): boolean => typeof size === "string" && /^Standard_N/i.test(size);

/** Pools of GPU nodes. A pool whose size is not known yet is noted. */
export const gpuPoolsOf = (resource: Pick<Subject, "type" | "inputs">): Inputs[] =>
  poolsOf(resource).filter((pool) => {
    const size = pool.read("vmSize");
    if (size.is === "unknown") pool.defer("vmSize");
    return size.is === "present" && isGpuSize(size.value);
  });

/** Most nodes that a pool can have; undefined when it does not say. */
export function mostNodes(pool: Inputs): number | undefined {
  const most = pool.get(pool.get("enableAutoScaling") === true ? "maxCount" : "count");
  return typeof most === "number" ? most : undefined;
}

/** GPUs of a node. A part of a GPU counts as one: pods can have no less. */
export const gpusPerNode = (pool: Inputs): number => Math.max(1, gpuSize(String(pool.get("vmSize")))?.gpus ?? 1);

/** GPUs, or slices of GPUs, that a node offers to pods. */
export function gpuSlicesPerNode(pool: Inputs): number {
  const size = gpuSize(String(pool.get("vmSize")));
  const profile = pool.get("gpuInstanceProfile");
  const slices = size && migProfilesOf(size).find((row) => row.profile === profile)?.instancesPerGpu;
  return gpusPerNode(pool) * (slices ?? 1);
}
