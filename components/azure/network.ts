import * as network from "@pulumi/azure-native/network";
import * as privatedns from "@pulumi/azure-native/privatedns";
import * as pulumi from "@pulumi/pulumi";
import type { StackConfig } from "../../config";
import { formatCidr, parseCidr, subrange } from "../../core/cidr";
import { nameFor } from "../../core/naming";
import type { Placement } from "./placement";
import { present } from "./present";

export interface NetworkArgs extends Placement {
  /** IPv4 range of the network, /20 or larger. */
  readonly addressSpace: string;
  readonly outbound: StackConfig["network"]["outbound"];
  /** Address ranges and service tags that may reach ports 80 and 443 of the nodes. */
  readonly edgeSources: readonly string[];
  /** Whether names of storage accounts resolve to private endpoints. */
  readonly privateEndpoints: boolean;
}

/**
 * Network of one region. Nodes have the first half of the address space (pods and Services are overlays and take none),
 * private endpoints the first /24 of the second half; the rest is free.
 */
export class Network extends pulumi.ComponentResource {
  public readonly virtualNetworkId: pulumi.Output<string>;
  public readonly nodeSubnetId: pulumi.Output<string>;
  public readonly privateEndpointSubnetId: pulumi.Output<string>;
  /** Zone of Blob Storage's private endpoints, linked to the network; undefined without private endpoints. */
  public readonly blobDnsZoneId: pulumi.Output<string> | undefined;
  /** The fixed address that traffic to the internet comes from; undefined without a NAT gateway. */
  public readonly outboundAddress: pulumi.Output<string> | undefined;

  constructor(name: string, args: NetworkArgs, opts?: pulumi.ComponentResourceOptions) {
    super("triton-azure:index:Network", name, {}, opts);
    const child = { parent: this };
    const plan = addressPlan(args.addressSpace);

    const virtualNetwork = createVirtualNetwork(name, args, child);
    const nat = args.outbound === "natGateway" ? createNatGateway(name, args, child) : undefined;
    const inNetwork = { resourceGroupName: args.resourceGroupName, virtualNetworkName: virtualNetwork.name };
    const nodes = new network.Subnet(
      `${name}-nodes`,
      {
        ...inNetwork,
        subnetName: "nodes",
        addressPrefix: plan.nodes,
        networkSecurityGroup: { id: securityGroup(name, "nodes", edgeRules(args.edgeSources), args, child).id },
        ...(nat && { natGateway: { id: nat.gateway.id } }),
        // Route to the model store that its firewall knows: rules by address do not apply inside one location.
        serviceEndpoints: [{ service: "Microsoft.Storage" }],
        // Nodes leave by the load balancer or the NAT gateway, never by the address that Azure used to make up.
        defaultOutboundAccess: false,
      },
      child,
    );
    const endpoints = new network.Subnet(
      `${name}-private-endpoints`,
      {
        ...inNetwork,
        subnetName: "private-endpoints",
        addressPrefix: plan.privateEndpoints,
        networkSecurityGroup: { id: securityGroup(name, "private-endpoints", [], args, child).id },
        // By default the security group of a subnet does not apply to the private endpoints in it.
        privateEndpointNetworkPolicies: "NetworkSecurityGroupEnabled",
        defaultOutboundAccess: false,
      },
      // One after the other: Azure refuses a second write to the same network (AnotherOperationInProgress).
      { ...child, dependsOn: nodes },
    );

    // Each id comes when both subnets are there, so that nothing joins one of them while the other is written.
    const subnetIds = pulumi.all([nodes.id, endpoints.id]);
    this.virtualNetworkId = virtualNetwork.id;
    this.nodeSubnetId = subnetIds.apply(([id]) => id);
    this.privateEndpointSubnetId = subnetIds.apply(([, id]) => id);
    this.blobDnsZoneId = args.privateEndpoints ? createBlobDnsZone(name, args, virtualNetwork.id, child) : undefined;
    this.outboundAddress = nat?.address;
    this.registerOutputs({ virtualNetworkId: this.virtualNetworkId, nodeSubnetId: this.nodeSubnetId });
  }

  /** What a store needs to have a private endpoint here. */
  public get forPrivateEndpoints() {
    return { privateEndpointSubnetId: this.privateEndpointSubnetId, blobDnsZoneId: this.blobDnsZoneId };
  }
}

/** Address ranges of the subnets. */
export function addressPlan(addressSpace: string): { nodes: string; privateEndpoints: string } {
  const space = parseCidr(addressSpace);
  if (space === undefined) throw new pulumi.RunError(`addressSpace: ${addressSpace} is not an address range`);
  const half = space.prefix + 1;
  return {
    nodes: formatCidr(subrange(space, half, 0)),
    privateEndpoints: formatCidr(subrange(subrange(space, half, 1), 24, 0)),
  };
}

/**
 * Without `subnets`: they are resources of their own, so that each can be named, changed and waited for alone. Azure and
 * azure-native leave the subnets of a network alone when the property is absent; with it they would delete all others.
 */
const createVirtualNetwork = (
  name: string,
  { resourceGroupName, location, naming, tags, addressSpace }: NetworkArgs,
  opts: pulumi.CustomResourceOptions,
) =>
  new network.VirtualNetwork(
    `${name}-vnet`,
    {
      resourceGroupName,
      location,
      virtualNetworkName: nameFor(naming, "virtualNetwork"),
      addressSpace: { addressPrefixes: [addressSpace] },
      tags,
    },
    opts,
  );

/**
 * Azure's default rules stay below ours: the network itself (nodes, pods) and the probes of Azure's load balancers come
 * in, everything else does not. A deny rule of our own would cut off one of them.
 */
const securityGroup = (
  name: string,
  subnet: string,
  securityRules: ReturnType<typeof edgeRules>,
  { resourceGroupName, location, naming, tags }: Placement,
  opts: pulumi.CustomResourceOptions,
) =>
  new network.NetworkSecurityGroup(
    `${name}-${subnet}-rules`,
    {
      resourceGroupName,
      location,
      networkSecurityGroupName: nameFor(naming, "networkSecurityGroup", subnet),
      securityRules,
      tags,
    },
    opts,
  );

/**
 * Lets the edge reach the ports of Services of type LoadBalancer. AKS opens them in the group that it keeps for the
 * nodes, but never in one that others put on the subnet, and both have to agree.
 *
 * A rule takes many address ranges, but one service tag (article "Azure network security groups overview").
 */
export function edgeRules(sources: readonly string[]) {
  const distinct = [...new Set(sources)];
  const ranges = distinct.filter((source) => !isServiceTag(source));
  return [
    ...(ranges.length > 0 ? [edgeRule("ranges", 100, { sourceAddressPrefixes: ranges })] : []),
    ...distinct
      .filter(isServiceTag)
      .map((tag, index) => edgeRule(tag === "*" ? "any" : tag, 101 + index, { sourceAddressPrefix: tag })),
  ];
}

const isServiceTag = (source: string): boolean => source === "*" || /^[A-Za-z][\w.]*$/.test(source);

const edgeRule = (
  name: string,
  priority: number,
  source: { sourceAddressPrefix: string } | { sourceAddressPrefixes: string[] },
) => ({
  name: `allow-edge-${name}`,
  priority,
  direction: "Inbound",
  access: "Allow",
  protocol: "Tcp",
  ...source,
  sourcePortRange: "*",
  // The address of the load balancer, which AKS assigns: packets keep it on their way to the node.
  destinationAddressPrefix: "*",
  destinationPortRanges: ["80", "443"],
});

function createNatGateway(
  name: string,
  { resourceGroupName, location, naming, tags }: Placement,
  opts: pulumi.CustomResourceOptions,
) {
  const address = new network.PublicIPAddress(
    `${name}-nat-address`,
    {
      resourceGroupName,
      location,
      publicIpAddressName: nameFor(naming, "publicIpAddress", "nat"),
      sku: { name: "Standard" },
      publicIPAllocationMethod: "Static",
      tags,
    },
    opts,
  );
  const gateway = new network.NatGateway(
    `${name}-nat`,
    {
      resourceGroupName,
      location,
      natGatewayName: nameFor(naming, "natGateway"),
      sku: { name: "Standard" },
      publicIpAddresses: [{ id: address.id }],
      tags,
    },
    opts,
  );
  return {
    gateway,
    address: address.ipAddress.apply((assigned) => present(assigned, "Azure assigned no address to the NAT gateway")),
  };
}

/** The id of the zone comes when the link is there: before it, names resolve to addresses that the store has closed. */
function createBlobDnsZone(
  name: string,
  { resourceGroupName, tags }: Placement,
  virtualNetworkId: pulumi.Input<string>,
  opts: pulumi.CustomResourceOptions,
): pulumi.Output<string> {
  const zone = new privatedns.PrivateZone(
    `${name}-blob-dns`,
    { resourceGroupName, location: "Global", privateZoneName: "privatelink.blob.core.windows.net", tags },
    opts,
  );
  const link = new privatedns.VirtualNetworkLink(
    `${name}-blob-dns-link`,
    {
      resourceGroupName,
      location: "Global",
      privateZoneName: zone.name,
      virtualNetworkLinkName: "network",
      virtualNetwork: { id: virtualNetworkId },
      registrationEnabled: false,
      // Accounts of others that have private endpoints elsewhere are not in this zone; they keep their public addresses.
      resolutionPolicy: "NxDomainRedirect",
      tags,
    },
    opts,
  );
  return pulumi.all([zone.id, link.id]).apply(([id]) => id);
}
