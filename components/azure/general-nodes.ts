import * as containerservice from "@pulumi/azure-native/containerservice";
import type * as pulumi from "@pulumi/pulumi";
import type { StackConfig } from "../../config";
import { maxPodsPerNode } from "../../core/capacity";
import { poolName } from "../../core/gpu-pool";
import { generalSize, holdsOsDisk } from "../../core/vm-sizes";

type ClusterConfig = StackConfig["cluster"];

const osDiskSizeGB = 128;

/** What AKS cannot change on a living pool of general nodes. The OS disk is local where the size has room for it. */
function immutableInputs(vmSize: string, zones: ClusterConfig["zones"]) {
  const size = generalSize(vmSize);
  const ephemeral = size !== undefined && holdsOsDisk(size, osDiskSizeGB);
  return {
    type: "VirtualMachineScaleSets",
    vmSize: size?.name ?? vmSize,
    osType: "Linux",
    osSKU: "Ubuntu",
    osDiskType: ephemeral ? "Ephemeral" : "Managed",
    osDiskSizeGB,
    maxPods: maxPodsPerNode,
    ...(zones.length > 0 && { availabilityZones: [...new Set(zones)].sort() }),
  };
}

/** Inputs that system and user pool have in common. */
export const generalNodes = (
  { vmSize, min, max }: ClusterConfig["systemPool"],
  zones: ClusterConfig["zones"],
): ReturnType<typeof immutableInputs> & Omit<containerservice.AgentPoolArgs, "resourceGroupName" | "resourceName"> => ({
  ...immutableInputs(vmSize, zones),
  enableAutoScaling: true,
  count: min,
  minCount: min,
  maxCount: max,
  upgradeSettings: { maxSurge: "33%" },
});

export interface UserPoolArgs {
  readonly resourceGroupName: pulumi.Input<string>;
  readonly clusterName: pulumi.Input<string>;
  readonly nodeSubnetId: pulumi.Input<string>;
  readonly config: ClusterConfig;
  readonly version: pulumi.Input<string> | undefined;
  readonly tags: Record<string, string>;
}

/**
 * The pool without taints, where add-ons and helpers find a home that tolerate neither GPU nodes nor the system pool's
 * taint. It is named by its immutable inputs, as GPU pools are: a new size comes up before the old pool goes.
 */
export function createUserPool(
  name: string,
  { config, version, ...args }: UserPoolArgs,
  opts: pulumi.CustomResourceOptions,
): containerservice.AgentPool {
  const agentPoolName = poolName("user", immutableInputs(config.userPool.vmSize, config.zones));
  return new containerservice.AgentPool(
    `${name}-${agentPoolName}`,
    {
      resourceGroupName: args.resourceGroupName,
      resourceName: args.clusterName,
      agentPoolName,
      mode: "User",
      ...generalNodes(config.userPool, config.zones),
      vnetSubnetID: args.nodeSubnetId,
      ...(version !== undefined && { orchestratorVersion: version }),
      tags: args.tags,
    },
    { ...opts, ignoreChanges: ["count"] },
  );
}
