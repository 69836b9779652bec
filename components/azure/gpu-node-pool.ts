import * as containerservice from "@pulumi/azure-native/containerservice";
import * as pulumi from "@pulumi/pulumi";
import type { GpuPool } from "../../config";
import { maxPodsPerNode } from "../../core/capacity";
import { formatTaint, gpuNodeLabel, gpuPoolLabelKey, gpuTaint, poolName, spotTaint } from "../../core/gpu-pool";
import { gpuSize } from "../../core/vm-sizes";

export interface GpuNodePoolArgs {
  readonly resourceGroupName: pulumi.Input<string>;
  readonly clusterName: pulumi.Input<string>;
  readonly nodeSubnetId: pulumi.Input<string>;
  readonly pool: GpuPool;
  readonly tags: Record<string, string>;
  /** Kubernetes version of the nodes, see {@link GpuCluster.nodeVersion}; unset leaves it to the cluster's upgrade channel. */
  readonly kubernetesVersion?: pulumi.Input<string> | undefined;
}

/**
 * A pool of GPU nodes. Its name in Azure is the configured one and four digits that follow from what AKS cannot change on
 * a living pool: such a change makes a second pool, and the first one goes when all that depends on the pool has moved.
 */
export class GpuNodePool extends pulumi.ComponentResource {
  /** Name of the AKS pool, as in the label `kubernetes.azure.com/agentpool` of its nodes. */
  public readonly poolName: string;
  public readonly agentPool: containerservice.AgentPool;

  constructor(name: string, args: GpuNodePoolArgs, opts?: pulumi.ComponentResourceOptions) {
    super("triton-azure:index:GpuNodePool", name, {}, opts);
    const { pool } = args;
    this.poolName = gpuPoolName(pool);

    this.agentPool = new containerservice.AgentPool(
      `${name}-${this.poolName}`,
      {
        resourceGroupName: args.resourceGroupName,
        resourceName: args.clusterName,
        agentPoolName: this.poolName,
        ...immutableInputs(pool),
        mode: "User",
        vnetSubnetID: args.nodeSubnetId,
        ...(args.kubernetesVersion !== undefined && { orchestratorVersion: args.kubernetesVersion }),
        ...nodeCount(pool),
        ...labelsAndTaints(pool),
        ...upgradeSettings(pool),
        scaleDownMode: "Delete",
        tags: args.tags,
      },
      { parent: this, ignoreChanges: pool.autoscaling ? ["count"] : [] },
    );
    this.registerOutputs({ poolName: this.poolName });
  }
}

/** Name that a pool has in AKS. */
export const gpuPoolName = (pool: GpuPool): string => poolName(pool.name, immutableInputs(pool));

/**
 * What AKS takes at creation only (article "Create node pools in AKS", and "May not be changed after creation" in its
 * API). azure-native replaces a pool for `vmSize` and `gpuInstanceProfile` and AKS refuses the rest; so all of it is in
 * the pool's name. Bounds, labels, taints, tags, upgrade settings and version change in place and are not. The subnet
 * is left out as well: its id is known after it is made only, and it stays as long as its resource group does.
 */
function immutableInputs(pool: GpuPool) {
  return {
    type: "VirtualMachineScaleSets",
    // Azure ignores the case of letters, so correcting it must not make a new pool.
    vmSize: gpuSize(pool.vmSize)?.name ?? pool.vmSize,
    osType: "Linux",
    osSKU: "Ubuntu",
    osDiskType: pool.osDiskType,
    osDiskSizeGB: pool.osDiskSizeGiB,
    maxPods: maxPodsPerNode,
    gpuProfile: { driver: pool.driver },
    ...(pool.migProfile !== undefined && { gpuInstanceProfile: pool.migProfile }),
    ...(pool.zones.length > 0 && { availabilityZones: [...new Set(pool.zones)].sort() }),
    // -1 pays up to the on-demand price: such a pool is evicted for want of capacity only, never for the price.
    ...(pool.spot && { scaleSetPriority: "Spot", scaleSetEvictionPolicy: "Delete", spotMaxPrice: -1 }),
  };
}

/** AKS wants `count` of an autoscaled pool too, as its first size, and refuses bounds on others. */
const nodeCount = ({ autoscaling, min, max }: GpuPool) =>
  autoscaling
    ? { enableAutoScaling: true, count: min, minCount: min, maxCount: max }
    : { enableAutoScaling: false, count: min };

/** Of spot pools AKS sets label and taint by itself; named here as well, or each refresh would show them as foreign. */
const labelsAndTaints = (pool: GpuPool) => ({
  nodeLabels: {
    ...gpuNodeLabel,
    [gpuPoolLabelKey]: pool.name,
    ...(pool.spot && { [spotTaint.key]: spotTaint.value }),
  },
  nodeTaints: (pool.spot ? [gpuTaint, spotTaint] : [gpuTaint]).map(formatTaint),
});

/**
 * GPU quota is seldom spare, so a node gives way before its successor comes, one at a time, unless extra nodes are
 * declared. Spot pools have no such settings: AKS answers "Spot pools can't set max surge".
 */
const upgradeSettings = ({ spot, spareQuota }: GpuPool) =>
  spot
    ? {}
    : {
        upgradeSettings:
          spareQuota > 0
            ? { maxSurge: String(spareQuota), maxUnavailable: "0" }
            : { maxSurge: "0", maxUnavailable: "1" },
      };
