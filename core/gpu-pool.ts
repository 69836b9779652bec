import { digest, type Plain } from "./digest";

/** A Kubernetes taint, as AKS takes it in `nodeTaints` once formatted. */
export interface Taint {
  readonly key: string;
  readonly value: string;
  readonly effect: "NoSchedule" | "PreferNoSchedule" | "NoExecute";
}

/**
 * The one place where GPU pools, device plugin and Triton agree on which nodes are theirs. The taint is the one of the AKS
 * article "Use GPUs for compute-intensive workloads". Labels and taints are set through the agent pool, never by kubectl:
 * the cluster autoscaler only knows those when it considers a pool of zero nodes.
 */
export const gpuTaint: Taint = { key: "sku", value: "gpu", effect: "NoSchedule" };

/** AKS puts this taint (and a label of the same name and value) on every spot pool by itself. */
export const spotTaint: Taint = { key: "kubernetes.azure.com/scalesetpriority", value: "spot", effect: "NoSchedule" };

/** AKS's own taint for pools that run cluster add-ons only. */
export const systemTaint: Taint = { key: "CriticalAddonsOnly", value: "true", effect: "NoSchedule" };

/** Marks GPU nodes. It is the label that NVIDIA's own charts look for, so those find the nodes as well. */
export const gpuNodeLabel = { "nvidia.com/gpu.present": "true" } as const;

/** Names the pool of `gpuPools` that a node belongs to; stays the same when the pool is replaced. */
export const gpuPoolLabelKey = "triton-azure/gpu-pool";

export const formatTaint = (taint: Taint): string => `${taint.key}=${taint.value}:${taint.effect}`;

export interface Toleration {
  readonly key: string;
  readonly operator: "Equal";
  readonly value: string;
  readonly effect: Taint["effect"];
}

export const tolerationFor = ({ key, value, effect }: Taint): Toleration => ({ key, operator: "Equal", value, effect });

/** What every workload on GPU nodes tolerates. Spot only when some pool is spot: tolerating it says one can be evicted. */
export const gpuTolerations = (pools: readonly { readonly spot: boolean }[]): readonly Toleration[] =>
  (pools.some(({ spot }) => spot) ? [gpuTaint, spotTaint] : [gpuTaint]).map(tolerationFor);

/**
 * Name of an AKS pool: the configured prefix (8 characters at most) and four digits of a hash of all inputs that cannot be
 * changed on a living pool. A change of one of them therefore makes a new pool beside the old one, which goes last;
 * azure-native would otherwise delete a named pool before it creates the next. AKS allows 12 characters for Linux pools.
 */
export const poolName = (prefix: string, immutableInputs: Plain): string => prefix + digest(immutableInputs, 4);

/** What a pool's name in the configuration may be. */
export const poolPrefixPattern = /^[a-z][a-z0-9]{0,7}$/;
