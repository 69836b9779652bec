import { type ReplicaNeeds, replicasPerNode } from "../core/capacity";
import { parseBytes, parseCpu } from "../core/quantity";
import type { Release } from "../core/release";
import { loadSeconds, scaleDownWindowSeconds, startupBudgetSeconds } from "../core/startup";
import { gpuSize, holdsOsDisk } from "../core/vm-sizes";
import type { GpuPoolInput } from "./gpu-pools";
import type { Values } from "./schema";

/** A GPU pool with its bounds worked out: `min` and `max` are equal when the autoscaler is off. */
export interface GpuPool extends Omit<GpuPoolInput, "count" | "min" | "max" | "osDiskType"> {
  readonly min: number;
  readonly max: number;
  readonly osDiskType: "Ephemeral" | "Managed";
}

/** Everything the program needs to know, complete and frozen. */
export interface StackConfig extends Omit<
  Values,
  "gpuPools" | "release" | "modelStore" | "machineLearning" | "autoscaling"
> {
  readonly gpuPools: readonly GpuPool[];
  readonly modelStore: Omit<Values["modelStore"], "replication"> & {
    readonly replication: "LRS" | "ZRS" | "GRS" | "GZRS";
  };
  readonly machineLearning: Values["machineLearning"] & { readonly location: string };
  readonly autoscaling: Omit<Values["autoscaling"], "max" | "scaleDownWindowSeconds"> & {
    readonly max: number;
    readonly scaleDownWindowSeconds: number;
  };
  /** The release that Triton serves; undefined before the first one is published. */
  readonly release: Release | undefined;
  /** Seconds that the start-up probe allows; 0 without a release. */
  readonly startupBudgetSeconds: number;
  /** Replicas that the GPU pools hold at their maximum. */
  readonly replicaSlots: number;
}

type Environment = Values["environment"];

export const maxReplicas = (autoscaling: Values["autoscaling"], environment: Environment): number =>
  autoscaling.max ?? Math.max(autoscaling.min, environment === "prod" ? 10 : 2);

/** What one replica of Triton takes from its node. */
export const replicaNeeds = ({ resources }: Values["triton"]): ReplicaNeeds => ({
  gpus: resources.gpus,
  gpuResource: resources.gpuResource,
  cpu: parseCpu(resources.cpu) ?? 0,
  memory: parseBytes(resources.memory) ?? 0,
});

/** Fills in the bounds and the disk of a pool. */
export function resolvePool(pool: GpuPoolInput, environment: Environment): GpuPool {
  const { count, min, max, osDiskType, ...rest } = pool;
  const size = gpuSize(pool.vmSize);
  const fits = size !== undefined && holdsOsDisk(size, pool.osDiskSizeGiB);
  return {
    ...rest,
    min: pool.autoscaling ? (min ?? 0) : (count ?? 1),
    max: pool.autoscaling ? (max ?? Math.max(min ?? 0, environment === "prod" ? 12 : 2)) : (count ?? 1),
    osDiskType: osDiskType ?? (fits ? "Ephemeral" : "Managed"),
  };
}

/** Replicas of Triton that the pools hold at their maximum. */
export function replicaSlots(pools: readonly GpuPool[], needs: ReplicaNeeds, cluster: Values["cluster"]): number {
  return pools.reduce((sum, pool) => sum + pool.max * replicasOnNode(pool, needs, cluster), 0);
}

export const replicasOnNode = (pool: GpuPool, needs: ReplicaNeeds, cluster: Values["cluster"]): number => {
  const size = gpuSize(pool.vmSize);
  return size === undefined ? 0 : replicasPerNode({ size, migProfile: pool.migProfile, ...cluster }, needs);
};

/** Values of several keys put together. They are valid: `checkAll` has passed them. */
export function resolve(values: Values): StackConfig {
  const { environment, autoscaling, triton } = values;
  const release = values.releases.find(({ id }) => id === values.release);
  const gpuPools = values.gpuPools.map((pool) => resolvePool(pool, environment));
  return deepFreeze({
    ...values,
    release,
    gpuPools,
    modelStore: {
      ...values.modelStore,
      replication:
        values.modelStore.replication ?? (environment === "prod" && values.cluster.zones.length > 0 ? "ZRS" : "LRS"),
    },
    machineLearning: { ...values.machineLearning, location: homeLocation(values) ?? "" },
    autoscaling: {
      ...autoscaling,
      max: maxReplicas(autoscaling, environment),
      scaleDownWindowSeconds:
        autoscaling.scaleDownWindowSeconds ??
        Math.min(3600, scaleDownWindowSeconds(release === undefined ? 0 : loadSeconds(release, triton.startup))),
    },
    startupBudgetSeconds:
      release === undefined ? 0 : (triton.startup.budgetSeconds ?? startupBudgetSeconds(release, triton.startup)),
    replicaSlots: replicaSlots(gpuPools, replicaNeeds(triton), values.cluster),
  });
}

/** Where the things live that there is one of. With one region, there; with several it must be said, so that their order means nothing. */
export const homeLocation = ({
  machineLearning,
  regions,
}: Pick<Values, "machineLearning" | "regions">): string | undefined =>
  machineLearning.location ?? (regions.length === 1 ? regions[0]?.location : undefined);

function deepFreeze<T>(value: T): T {
  if (typeof value === "object" && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    Object.values(value).forEach(deepFreeze);
  }
  return value;
}
