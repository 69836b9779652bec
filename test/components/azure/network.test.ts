import { Subnet } from "@pulumi/azure-native/network";
import { PrivateZone } from "@pulumi/azure-native/privatedns";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { addressPlan, edgeRules, Network, type NetworkArgs } from "../../../components/azure/network";
import { contains, overlaps, parseCidr } from "../../../core/cidr";
import { input, runProgram, unknown } from "../../support/engine";
import { valueOf } from "../../support/outputs";
import { comesAfter, custom, memoized, place, untagged } from "./support";

const args: NetworkArgs = {
  ...place,
  addressSpace: "10.10.0.0/16",
  outbound: "loadBalancer",
  edgeSources: ["Internet"],
  privateEndpoints: false,
};

const run = memoized((changes: Partial<NetworkArgs> = {}, dryRun?: boolean) =>
  runProgram(() => new Network("network-westeurope", { ...args, ...changes }), { dryRun: dryRun ?? false }),
);

describe("Network", () => {
  it("is a component that owns everything in it, all of it tagged", async () => {
    const result = await run({ outbound: "natGateway", privateEndpoints: true });
    const component = result.one("triton-azure:index:Network");
    expect(custom(result).length).toBe(9);
    for (const resource of custom(result)) expect(resource.parent).toBe(component.urn);
    expect(untagged(result)).toEqual([]);
  });

  it("never lists subnets in the network itself, so that an update of it deletes none", async () => {
    const network = (await run()).one("VirtualNetwork");
    expect(network.inputs).toMatchObject({
      location: "westeurope",
      addressSpace: { addressPrefixes: ["10.10.0.0/16"] },
    });
    expect(network.inputs).not.toHaveProperty("subnets");
  });

  it("gives the nodes a route to storage and no way out by chance", async () => {
    expect((await run()).one("Subnet", "network-westeurope-nodes").inputs).toMatchObject({
      subnetName: "nodes",
      addressPrefix: "10.10.0.0/17",
      serviceEndpoints: [{ service: "Microsoft.Storage" }],
      defaultOutboundAccess: false,
    });
  });

  it("applies security groups to private endpoints too", async () => {
    const result = await run();
    expect(result.one("Subnet", "network-westeurope-private-endpoints").inputs).toMatchObject({
      subnetName: "private-endpoints",
      addressPrefix: "10.10.128.0/24",
      privateEndpointNetworkPolicies: "NetworkSecurityGroupEnabled",
      defaultOutboundAccess: false,
    });
    expect(
      result.one("NetworkSecurityGroup", "network-westeurope-private-endpoints-rules").inputs["securityRules"],
    ).toEqual([]);
  });

  it("writes its subnets one after the other", async () => {
    for (const dryRun of [false, true]) {
      const result = await run({}, dryRun);
      const nodes = result.one("Subnet", "network-westeurope-nodes");
      expect(comesAfter(result, result.one("Subnet", "network-westeurope-private-endpoints"), nodes)).toBe(true);
    }
  });

  it("gives out the id of a subnet when both are there", async () => {
    const result = await runProgram(() => {
      const network = new Network("network-westeurope", args);
      new Subnet("user", {
        resourceGroupName: "g",
        virtualNetworkName: "n",
        networkSecurityGroup: { id: network.nodeSubnetId },
      });
    });
    for (const subnet of ["nodes", "private-endpoints"]) {
      expect(
        comesAfter(result, result.one("Subnet", "user"), result.one("Subnet", `network-westeurope-${subnet}`)),
      ).toBe(true);
    }
    expect(input(result.one("Subnet", "user"), "networkSecurityGroup.id")).toMatch(/\/subnets\/nodes$/);
  });

  it("lets the edge in at ports 80 and 443 and leaves Azure's own rules in force", async () => {
    const rules = input<Record<string, unknown>[]>(
      (await run({ edgeSources: ["AzureFrontDoor.Backend", "203.0.113.0/24"] })).one(
        "NetworkSecurityGroup",
        "network-westeurope-nodes-rules",
      ),
      "securityRules",
    );
    expect(rules).toHaveLength(2);
    for (const rule of rules) {
      expect(rule).toMatchObject({
        direction: "Inbound",
        access: "Allow",
        protocol: "Tcp",
        destinationPortRanges: ["80", "443"],
        destinationAddressPrefix: "*",
      });
    }
  });

  it("goes out by the load balancer unless a NAT gateway is asked for", async () => {
    const result = await run();
    expect(result.all("NatGateway")).toEqual([]);
    expect(result.all("PublicIPAddress")).toEqual([]);
    expect(result.one("Subnet", "network-westeurope-nodes").inputs).not.toHaveProperty("natGateway");
  });

  it("puts a NAT gateway with a fixed address on the nodes alone, and tells the address", async () => {
    let address: Promise<string | undefined> | undefined;
    const result = await runProgram(() => {
      address = valueOf(new Network("network-westeurope", { ...args, outbound: "natGateway" }).outboundAddress);
    });
    expect(await address).toBe("203.0.113.10");
    expect(result.one("PublicIPAddress").inputs).toMatchObject({
      sku: { name: "Standard" },
      publicIPAllocationMethod: "Static",
    });
    expect(input(result.one("NatGateway"), "publicIpAddresses[0].id")).toBe(result.one("PublicIPAddress").id);
    expect(input(result.one("Subnet", "network-westeurope-nodes"), "natGateway.id")).toBe(result.one("NatGateway").id);
    expect(result.one("Subnet", "network-westeurope-private-endpoints").inputs).not.toHaveProperty("natGateway");
  });

  it("has a zone for private endpoints only when there are any, and gives it out linked", async () => {
    expect((await run()).all("PrivateZone")).toEqual([]);
    const result = await runProgram(() => {
      const network = new Network("network-westeurope", { ...args, privateEndpoints: true });
      const { blobDnsZoneId } = network.forPrivateEndpoints;
      if (blobDnsZoneId === undefined) throw new Error("no zone");
      new PrivateZone("user", { resourceGroupName: blobDnsZoneId, location: "Global" });
    });
    const link = result.one("VirtualNetworkLink");
    expect(result.one("PrivateZone", "network-westeurope-blob-dns").inputs).toMatchObject({
      privateZoneName: "privatelink.blob.core.windows.net",
      location: "Global",
    });
    expect(link.inputs).toMatchObject({
      privateZoneName: "privatelink.blob.core.windows.net",
      virtualNetwork: { id: result.one("VirtualNetwork").id },
      registrationEnabled: false,
      resolutionPolicy: "NxDomainRedirect",
    });
    expect(comesAfter(result, result.one("PrivateZone", "user"), link)).toBe(true);
  });

  it("is planned in full before anything exists", async () => {
    const result = await run({ outbound: "natGateway", privateEndpoints: true }, true);
    expect(custom(result).length).toBe(9);
    expect(input(result.one("Subnet", "network-westeurope-nodes"), "natGateway.id")).toEqual(unknown);
  });
});

describe("the address plan", () => {
  it("holds two separate subnets in any range that the configuration accepts", () => {
    const space = fc.integer({ min: 8, max: 20 }).chain((prefix) =>
      fc.integer({ min: 0, max: 2 ** (prefix - 1) - 1 }).map((index) => {
        const first = index * 2 ** (32 - prefix);
        return `${[24, 16, 8, 0].map((shift) => Math.floor(first / 2 ** shift) % 256).join(".")}/${prefix}`;
      }),
    );
    fc.assert(
      fc.property(space, (text) => {
        const plan = addressPlan(text);
        const [outer, nodes, endpoints] = [text, plan.nodes, plan.privateEndpoints].map((range) => parseCidr(range));
        if (!outer || !nodes || !endpoints)
          throw new Error(`not ranges: ${text} ${plan.nodes} ${plan.privateEndpoints}`);
        expect(contains(outer, nodes) && contains(outer, endpoints)).toBe(true);
        expect(overlaps(nodes, endpoints)).toBe(false);
      }),
    );
  });
});

describe("rules for the edge", () => {
  it("put address ranges into one rule and each service tag into one of its own", () => {
    const rules = edgeRules(["AzureFrontDoor.Backend", "203.0.113.0/24", "198.51.100.7", "Internet", "Internet"]);
    expect(rules.map(({ name }) => name)).toEqual([
      "allow-edge-ranges",
      "allow-edge-AzureFrontDoor.Backend",
      "allow-edge-Internet",
    ]);
    expect(rules[0]).toMatchObject({ sourceAddressPrefixes: ["203.0.113.0/24", "198.51.100.7"] });
    expect(rules[1]).toMatchObject({ sourceAddressPrefix: "AzureFrontDoor.Backend" });
    expect(new Set(rules.map(({ priority }) => priority)).size).toBe(3);
  });

  it("take `*` and IPv6 ranges for what they are", () => {
    expect(edgeRules(["*"])).toMatchObject([{ name: "allow-edge-any", sourceAddressPrefix: "*" }]);
    expect(edgeRules(["fd00::/8"])).toMatchObject([{ sourceAddressPrefixes: ["fd00::/8"] }]);
  });
});
