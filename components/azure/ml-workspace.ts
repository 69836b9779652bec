import * as ml from "@pulumi/azure-native/machinelearningservices";
import * as pulumi from "@pulumi/pulumi";
import type { Principal, StackConfig } from "../../config";
import { nameFor } from "../../core/naming";
import type { Release } from "../../core/release";
import { grant } from "./grant";
import { keepsData } from "./keeps-data";
import { createInsights, createLogAnalytics, createStorage, createVault } from "./ml-dependencies";
import { datastoreUri, registerReleases } from "./registered-models";
import { createIdentity } from "./identity";
import type { Placement } from "./placement";

export interface MlWorkspaceArgs extends Placement {
  readonly config: StackConfig["machineLearning"];
  /** Whether the vault is purge-protected and the workspace's storage copied over zones. */
  readonly production: boolean;
  /** Whether what holds data is protected from deletion. */
  readonly protect: boolean;
  readonly registryId: pulumi.Input<string>;
  /** Store whose container the workspace knows as a datastore. */
  readonly modelStore: {
    readonly accountName: pulumi.Input<string>;
    readonly containerName: pulumi.Input<string>;
    /** Resource id of the container. */
    readonly containerId: pulumi.Input<string>;
  };
  /** Releases that the store holds. */
  readonly releases: readonly Release[];
  readonly dataScientists: readonly Principal[];
  /** Seconds to wait after each role assignment. */
  readonly propagationSeconds: number;
}

/** Name of the datastore on the model container; Azure ML allows no hyphens there. */
export const modelDatastore = "model_repository";

/**
 * Azure ML workspace with everything that it needs, and the registry of the releases. It has no part in serving.
 *
 * Its own storage and vault stay open to the internet, behind Entra ID: Studio reads them from the browser of whoever
 * uses it, and closing them takes private endpoints for blobs and files and a route for every user.
 */
export class MlWorkspace extends pulumi.ComponentResource {
  public readonly workspaceId: pulumi.Output<string>;
  public readonly workspaceName: pulumi.Output<string>;
  /** Log Analytics workspace behind Application Insights, for other logs of the stack as well. */
  public readonly logAnalyticsId: pulumi.Output<string>;

  constructor(name: string, args: MlWorkspaceArgs, opts?: pulumi.ComponentResourceOptions) {
    super("triton-azure:index:MlWorkspace", name, {}, opts);
    const { resourceGroupName, releases } = args;
    const child = { parent: this };

    const identity = createIdentity(name, "ml", args, child);
    const logs = createLogAnalytics(name, args, child);
    const linked: LinkedResources = {
      storage: createStorage(name, args, child).id,
      vault: createVault(name, args, child).id,
      registry: pulumi.output(args.registryId),
      insights: createInsights(name, args, logs.id, child).id,
    };
    const roles = grantToWorkspace(name, args, identity.principalId, linked, child);
    const workspace = createWorkspace(name, args, identity.id, linked, { ...child, dependsOn: roles });
    const inWorkspace = { ...child, deletedWith: workspace };
    const datastore = createDatastore(name, args, workspace.name, inWorkspace);
    registerReleases(
      name,
      {
        resourceGroupName,
        workspaceName: workspace.name,
        datastoreUri: workspace.id.apply((id) => datastoreUri(id, modelDatastore)),
        releases,
      },
      { ...inWorkspace, dependsOn: datastore },
    );
    grantToDataScientists(name, args, { workspace: workspace.id, storage: linked.storage }, child);

    this.workspaceId = workspace.id;
    this.workspaceName = workspace.name;
    this.logAnalyticsId = logs.id;
    this.registerOutputs({ workspaceName: this.workspaceName });
  }
}

/** Resource ids of the four that a workspace needs; the service demands those that its types call optional. */
interface LinkedResources {
  readonly storage: pulumi.Output<string>;
  readonly vault: pulumi.Output<string>;
  readonly registry: pulumi.Output<string>;
  readonly insights: pulumi.Output<string>;
}

/**
 * What a user-assigned identity of a workspace has to have before the workspace is created, by the article "Set up
 * service authentication" of Azure ML, and reading the models.
 */
function grantToWorkspace(
  name: string,
  { modelStore, propagationSeconds }: MlWorkspaceArgs,
  principalId: pulumi.Input<string>,
  { storage: account, vault, registry, insights }: LinkedResources,
  opts: pulumi.CustomResourceOptions,
): pulumi.Resource[] {
  const grants = [
    ["storage-contributor", "contributor", account],
    ["storage-data-contributor", "storageBlobDataContributor", account],
    ["vault-contributor", "contributor", vault],
    ["vault-administrator", "keyVaultAdministrator", vault],
    ["registry-contributor", "contributor", registry],
    ["insights-contributor", "contributor", insights],
    ["model-reader", "storageBlobDataReader", modelStore.containerId],
  ] as const;
  return grants.map(([what, role, scope]) =>
    grant(`${name}-${what}`, { principalId, principalType: "ServicePrincipal", role, scope, propagationSeconds }, opts),
  );
}

const createWorkspace = (
  name: string,
  { resourceGroupName, location, naming, tags, protect }: MlWorkspaceArgs,
  identityId: pulumi.Input<string>,
  linked: LinkedResources,
  opts: pulumi.CustomResourceOptions,
) =>
  new ml.Workspace(
    `${name}-workspace`,
    {
      resourceGroupName,
      location,
      workspaceName: nameFor(naming, "mlWorkspace", "ml"),
      description: `Model releases of ${naming.project}, stack ${naming.stack}.`,
      sku: { name: "Basic", tier: "Basic" },
      identity: { type: "UserAssigned", userAssignedIdentities: [identityId] },
      primaryUserAssignedIdentity: identityId,
      storageAccount: linked.storage,
      keyVault: linked.vault,
      containerRegistry: linked.registry,
      applicationInsights: linked.insights,
      // The default is account keys, which the storage refuses.
      systemDatastoresAuthMode: "Identity",
      publicNetworkAccess: "Enabled",
      tags,
    },
    { ...opts, ...keepsData(protect) },
  );

const createDatastore = (
  name: string,
  { resourceGroupName, modelStore }: MlWorkspaceArgs,
  workspaceName: pulumi.Input<string>,
  opts: pulumi.CustomResourceOptions,
) =>
  new ml.Datastore(
    `${name}-datastore`,
    {
      resourceGroupName,
      workspaceName,
      name: modelDatastore,
      // The check reads the container from wherever Azure ML runs it, which a private store does not let in.
      skipValidation: true,
      properties: {
        datastoreType: "AzureBlob",
        description: "Model releases, read with the workspace's identity.",
        ...accountPlace(modelStore.containerId),
        accountName: modelStore.accountName,
        containerName: modelStore.containerName,
        credentials: { credentialsType: "None" },
        serviceDataAccessAuthIdentity: "WorkspaceUserAssignedIdentity",
      },
    },
    opts,
  );

/** The account is in its region's resource group, not in the workspace's, where Azure ML would look for it. */
function accountPlace(containerId: pulumi.Input<string>) {
  const parts = pulumi.output(containerId).apply((id) => id.split("/"));
  return { subscriptionId: parts.apply((part) => part[2] ?? ""), resourceGroup: parts.apply((part) => part[4] ?? "") };
}

function grantToDataScientists(
  name: string,
  { dataScientists, propagationSeconds }: MlWorkspaceArgs,
  scopes: { workspace: pulumi.Input<string>; storage: pulumi.Input<string> },
  opts: pulumi.CustomResourceOptions,
): void {
  for (const { objectId, type } of dataScientists) {
    const principal = { principalId: objectId, principalType: type, propagationSeconds };
    grant(`${name}-scientist-${objectId}`, { ...principal, role: "amlDataScientist", scope: scopes.workspace }, opts);
    grant(
      `${name}-scientist-data-${objectId}`,
      { ...principal, role: "storageBlobDataContributor", scope: scopes.storage },
      opts,
    );
  }
}
