import * as containerregistry from "@pulumi/azure-native/containerregistry";
import * as pulumi from "@pulumi/pulumi";
import { hasZones } from "../../core/azure-locations";
import { nameFor } from "../../core/naming";
import { grant } from "./grant";
import { keepsData } from "./keeps-data";
import type { Placement } from "./placement";

export interface RegistryArgs extends Placement {
  /** Whether it is Premium, with copies in zones and locations, and protected from deletion; Basic otherwise. */
  readonly production: boolean;
  /** Other locations that pull from it; each gets a copy in production. */
  readonly replicas: readonly string[];
}

/** Days that a manifest without a tag is kept. */
const untaggedDays = 90;

/** Container registry of the stack. Access goes through Entra ID alone. */
export class Registry extends pulumi.ComponentResource {
  public readonly registryId: pulumi.Output<string>;
  /** Host name in the names of images. */
  public readonly loginServer: pulumi.Output<string>;
  private readonly logicalName: string;

  constructor(name: string, args: RegistryArgs, opts?: pulumi.ComponentResourceOptions) {
    super("triton-azure:index:Registry", name, {}, opts);
    const child = { parent: this };

    const registry = createRegistry(name, args, child);
    if (args.production) createReplicas(name, args, registry, child);

    this.logicalName = name;
    this.registryId = registry.id;
    this.loginServer = registry.loginServer;
    this.registerOutputs({ loginServer: this.loginServer });
  }

  /**
   * Lets the nodes of a cluster pull images.
   *
   * @param name tells the assignment from others, as `pull-westeurope` does
   * @param principalId object id of the cluster's kubelet identity
   * @param propagationSeconds seconds to wait after the assignment
   */
  public grantPull(name: string, principalId: pulumi.Input<string>, propagationSeconds: number): void {
    grant(
      `${this.logicalName}-${name}`,
      {
        principalId,
        principalType: "ServicePrincipal",
        role: "acrPull",
        scope: this.registryId,
        propagationSeconds,
      },
      { parent: this },
    );
  }
}

const createRegistry = (
  name: string,
  { resourceGroupName, location, naming, tags, production }: RegistryArgs,
  opts: pulumi.CustomResourceOptions,
) =>
  new containerregistry.Registry(
    `${name}-acr`,
    {
      resourceGroupName,
      location,
      registryName: nameFor(naming, "containerRegistry"),
      sku: { name: production ? "Premium" : "Basic" },
      adminUserEnabled: false,
      anonymousPullEnabled: false,
      ...(production && {
        zoneRedundancy: zoneRedundancy(location),
        // Without a bound every overwritten tag is paid for for ever. What runs by digest should keep its tag.
        policies: { retentionPolicy: { status: "enabled", days: untaggedDays } },
      }),
      tags,
    },
    { ...opts, ...keepsData(production) },
  );

function createReplicas(
  name: string,
  { resourceGroupName, replicas, tags }: RegistryArgs,
  registry: containerregistry.Registry,
  opts: pulumi.CustomResourceOptions,
): void {
  let former: pulumi.Resource = registry;
  // In one order whatever the order of regions, one after the other: a registry takes one change at a time.
  for (const location of [...new Set(replicas)].sort()) {
    former = new containerregistry.Replication(
      `${name}-${location}`,
      {
        resourceGroupName,
        registryName: registry.name,
        location,
        replicationName: location,
        regionEndpointEnabled: true,
        zoneRedundancy: zoneRedundancy(location),
        tags,
      },
      { ...opts, dependsOn: former },
    );
  }
}

/** Fixed when registry or copy is created; Azure refuses it where a location has no zones. */
const zoneRedundancy = (location: string): "Enabled" | "Disabled" => (hasZones(location) ? "Enabled" : "Disabled");
