import * as k8s from "@pulumi/kubernetes";
import type * as pulumi from "@pulumi/pulumi";
import { stringify } from "yaml";
import type { GpuPool } from "../../config";

type Pool = Pick<GpuPool, "name" | "spot">;

/** Whether spot and other pools stand side by side, so that their order matters. */
export const ordersSpotFirst = (pools: readonly Pool[]): boolean =>
  pools.some(({ spot }) => spot) && pools.some(({ spot }) => !spot);

/**
 * Order of GPU pools for the cluster autoscaler's expander `priority`: spot pools first, the others when spot capacity is
 * not to be had. Pods that tolerate spot nodes do not prefer them by that; this does. Name and namespace of the object are
 * those that the autoscaler watches (its article "Priority based expander").
 */
export const priorityExpander = (
  name: string,
  pools: readonly Pool[],
  opts: pulumi.CustomResourceOptions,
): k8s.core.v1.ConfigMap =>
  new k8s.core.v1.ConfigMap(
    name,
    {
      metadata: { name: "cluster-autoscaler-priority-expander", namespace: "kube-system" },
      data: { priorities: priorities(pools) },
    },
    opts,
  );

/**
 * The higher number wins. Patterns match the scale sets of a pool, `aks-<pool>-<number>-vmss`, whatever the four digits
 * of its hash: while a pool is being replaced both are ranked alike.
 */
function priorities(pools: readonly Pool[]): string {
  const patterns = (spot: boolean) =>
    pools.filter((pool) => pool.spot === spot).map((pool) => `.*aks-${pool.name}[0-9a-f]{4}-.*`);
  return stringify({ 10: patterns(false), 50: patterns(true) });
}
