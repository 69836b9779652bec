import * as network from "@pulumi/azure-native/network";
import type * as pulumi from "@pulumi/pulumi";
import { nameFor } from "../../core/naming";
import type { Placement } from "./placement";

export interface PrivateEndpointArgs extends Placement {
  /** What tells the endpoint from others in its region. */
  readonly purpose: string;
  /** Resource id of what is reached through the endpoint. */
  readonly targetId: pulumi.Input<string>;
  /** Part of the target: each has an endpoint and a DNS zone of its own. */
  readonly group: "blob";
  readonly subnetId: pulumi.Input<string>;
  /** Private DNS zone of the group, linked to the network of those who connect. */
  readonly dnsZoneId: pulumi.Input<string>;
}

/**
 * An address in our network for a service of Azure. Its record in the DNS zone, kept by the zone group, is what makes
 * clients take it: they go on using the public name.
 */
export function privateEndpoint(name: string, args: PrivateEndpointArgs, opts: pulumi.CustomResourceOptions): void {
  const { resourceGroupName, location, naming, tags, purpose, targetId, group, subnetId, dnsZoneId } = args;
  const endpoint = new network.PrivateEndpoint(
    `${name}-endpoint`,
    {
      resourceGroupName,
      location,
      privateEndpointName: nameFor(naming, "privateEndpoint", purpose),
      subnet: { id: subnetId },
      privateLinkServiceConnections: [{ name: group, privateLinkServiceId: targetId, groupIds: [group] }],
      tags,
    },
    opts,
  );
  new network.PrivateDnsZoneGroup(
    `${name}-endpoint-dns`,
    {
      resourceGroupName,
      privateEndpointName: endpoint.name,
      privateDnsZoneGroupName: "default",
      privateDnsZoneConfigs: [{ name: group, privateDnsZoneId: dnsZoneId }],
    },
    opts,
  );
}
