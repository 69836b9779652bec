import * as resources from "@pulumi/azure-native/resources";
import * as pulumi from "@pulumi/pulumi";
import type { StackConfig } from "../config";
import { type Naming, nameFor } from "../core/naming";
import { keepsData } from "./azure/keeps-data";
import { MlWorkspace } from "./azure/ml-workspace";
import type { ModelStore } from "./azure/model-store";
import type { Placement } from "./azure/placement";
import { Registry } from "./azure/registry";

export interface SharedServicesArgs {
  readonly config: StackConfig;
  readonly naming: Naming;
  readonly tags: Record<string, string>;
}

/**
 * What there is one of, whatever the number of regions: its resource group, the container registry and the Azure ML
 * workspace. They live where `machineLearning.location` says; no region depends on that place to serve.
 */
export class SharedServices extends pulumi.ComponentResource {
  public readonly registry: Registry;
  private readonly place: Placement & { readonly production: boolean; readonly protect: boolean };
  private readonly args: SharedServicesArgs;

  constructor(name: string, args: SharedServicesArgs, opts?: pulumi.ComponentResourceOptions) {
    super("triton-azure:index:SharedServices", name, {}, opts);
    const { config, naming, tags } = args;
    const { location } = config.machineLearning;
    const production = config.environment === "prod";

    const group = new resources.ResourceGroup(
      "group-shared",
      { resourceGroupName: nameFor(naming, "resourceGroup", "shared"), location, tags },
      { parent: this, ...keepsData(production) },
    );
    this.args = args;
    this.place = { resourceGroupName: group.name, location, naming, tags, production, protect: production };
    this.registry = new Registry(
      "registry",
      {
        ...this.place,
        replicas: config.regions.map((region) => region.location).filter((other) => other !== location),
      },
      { parent: this },
    );
    this.registerOutputs({ registryId: this.registry.registryId });
  }

  /** Adds the Azure ML workspace, which registers the releases of a region's model store. */
  public addWorkspace(modelStore: ModelStore): MlWorkspace {
    const { config } = this.args;
    return new MlWorkspace(
      "ml",
      {
        ...this.place,
        ...config.access,
        config: config.machineLearning,
        registryId: this.registry.registryId,
        modelStore,
        releases: config.releases,
      },
      { parent: this },
    );
  }
}
