import type * as containerservice from "@pulumi/azure-native/containerservice";
import * as pulumi from "@pulumi/pulumi";
import type { StackConfig } from "../../config";
import { addressAt, parseCidr } from "../../core/cidr";
import { formatTaint, systemTaint } from "../../core/gpu-pool";
import { isPatchPin } from "../../core/kubernetes-versions";
import { nameFor } from "../../core/naming";
import { ordersSpotFirst } from "../kubernetes/priority-expander";
import { generalNodes } from "./general-nodes";
import type { GpuClusterArgs } from "./gpu-cluster";

type ClusterConfig = StackConfig["cluster"];

/** The cluster as AKS is asked for it: closed by default, its pools but the first made apart. */
export function clusterInputs(
  args: GpuClusterArgs,
  identityId: pulumi.Input<string>,
): containerservice.ManagedClusterArgs {
  const { config, network, naming } = args;
  return {
    resourceGroupName: args.resourceGroupName,
    location: args.location,
    resourceName: nameFor(naming, "managedCluster"),
    dnsPrefix: nameFor(naming, "dnsPrefix"),
    nodeResourceGroup: nameFor(naming, "nodeResourceGroup", "nodes"),
    // What AKS keeps there is changed through AKS; edits beside it are undone or break the cluster.
    nodeResourceGroupProfile: { restrictionLevel: "ReadOnly" },
    sku: { name: "Base", tier: config.tier },
    supportPlan: config.tier === "Premium" ? "AKSLongTermSupport" : "KubernetesOfficial",
    kubernetesVersion: config.kubernetesVersion,
    identity: { type: "UserAssigned", userAssignedIdentities: [identityId] },
    enableRBAC: true,
    aadProfile: { managed: true, enableAzureRBAC: true },
    disableLocalAccounts: !config.localAccounts,
    oidcIssuerProfile: { enabled: true },
    securityProfile: {
      workloadIdentity: { enabled: true },
      imageCleaner: { enabled: true, intervalHours: 168 },
    },
    apiServerAccessProfile: apiServerAccess(config, args.outboundAddress),
    networkProfile: {
      networkPlugin: "azure",
      networkPluginMode: "overlay",
      networkDataplane: "cilium",
      networkPolicy: "cilium",
      podCidr: network.podCidr,
      serviceCidr: network.serviceCidr,
      dnsServiceIP: dnsServiceIp(network.serviceCidr),
      loadBalancerSku: "standard",
      outboundType: network.outbound === "natGateway" ? "userAssignedNATGateway" : "loadBalancer",
    },
    addonProfiles: { azurepolicy: { enabled: true } },
    workloadAutoScalerProfile: { keda: { enabled: true } },
    autoScalerProfile: {
      // Of several sizes, the one on which a pod leaves least idle; at random a small model may get the dearest GPU.
      expander: ordersSpotFirst(args.gpuPools) ? "priority" : "least-waste",
      // Triton keeps its models in an emptyDir; by default such a pod would hold its GPU node for ever.
      skipNodesWithLocalStorage: "false",
    },
    autoUpgradeProfile: { upgradeChannel: config.upgradeChannel, nodeOSUpgradeChannel: "NodeImage" },
    agentPoolProfiles: [
      {
        name: "system",
        mode: "System",
        ...generalNodes(config.systemPool, config.zones),
        vnetSubnetID: args.nodeSubnetId,
        nodeTaints: [formatTaint(systemTaint)],
      },
    ],
    tags: args.tags,
  };
}

function apiServerAccess(config: ClusterConfig, outboundAddress: pulumi.Input<string> | undefined) {
  const closed = { disableRunCommand: true };
  if (config.privateApiServer)
    return { ...closed, enablePrivateCluster: true, enablePrivateClusterPublicFQDN: false, privateDNSZone: "system" };
  if (config.authorizedIpRanges.length === 0) return closed;
  // AKS admits its own load balancer by itself, but knows nothing of another's NAT gateway.
  const ranges = [...config.authorizedIpRanges, ...(outboundAddress === undefined ? [] : [outboundAddress])];
  return { ...closed, authorizedIPRanges: ranges.map((range) => pulumi.output(range).apply(asRange)) };
}

const asRange = (address: string): string => (address.includes("/") ? address : `${address}/32`);

function dnsServiceIp(serviceCidr: string): string {
  const range = parseCidr(serviceCidr);
  if (range === undefined) throw new pulumi.RunError(`network.serviceCidr: ${serviceCidr} is not an address range`);
  return addressAt(range, 10);
}

/**
 * Whether AKS changes the version that was asked for: `stable` raises the minor version, `patch` a pinned patch. A
 * minor version under `patch` stays the user's to raise, so its changes must not be ignored.
 */
export const versionMoves = ({ upgradeChannel, kubernetesVersion }: ClusterConfig): boolean =>
  upgradeChannel === "stable" || (upgradeChannel === "patch" && isPatchPin(kubernetesVersion));
