import { describe, expect, it } from "vitest";
import { MlWorkspace, type MlWorkspaceArgs } from "../../../components/azure/ml-workspace";
import { ModelStore } from "../../../components/azure/model-store";
import { roles } from "../../../core/roles";
import { type Run, runProgram, unknown } from "../../support/engine";
import {
  comesAfter,
  custom,
  memoized,
  nodeSubnetId,
  place,
  privateEndpointSubnetId,
  sharedPlace,
  suffix,
  untagged,
} from "./support";

const scientist = "44444444-4444-4444-8444-444444444444";
const registryId =
  "/subscriptions/s/resourceGroups/group-shared/providers/Microsoft.ContainerRegistry/registries/images";
const args: Omit<MlWorkspaceArgs, "modelStore"> = {
  ...sharedPlace,
  config: { enabled: true, location: "westeurope", logRetentionDays: 30, logDailyCapGiB: 5 },
  production: false,
  protect: false,
  registryId,
  releases: [],
  dataScientists: [{ objectId: scientist, type: "User" }],
  propagationSeconds: 0,
};

const run = memoized((changes: Partial<MlWorkspaceArgs> = {}, dryRun?: boolean) =>
  runProgram(
    () => {
      const modelStore = new ModelStore("models-westeurope", {
        ...place,
        config: {
          auth: "workload-identity",
          replication: "LRS",
          network: "service-endpoint",
          publisherIpRanges: [],
          softDeleteDays: 14,
          versionDays: 30,
        },
        protect: false,
        nodeSubnetId,
        privateEndpointSubnetId,
        publishers: [],
        propagationSeconds: 0,
      });
      new MlWorkspace("ml", { ...args, modelStore, ...changes });
    },
    { dryRun: dryRun ?? false },
  ),
);

const workspaceOf = (result: Run) => result.one("azure-native:machinelearningservices:Workspace");
const identityOf = (result: Run) => result.one("UserAssignedIdentity");

/** Role and scope of the assignments to a principal, with names for what they are of. */
const rightsOf = (result: Run, principalId: unknown) =>
  result
    .all("RoleAssignment")
    .filter(({ inputs }) => inputs["principalId"] === principalId)
    .map(({ inputs, name }) => ({
      name,
      scope: inputs["scope"] as string,
      role: (inputs["roleDefinitionId"] as string).split("/").at(-1),
    }));

describe("MlWorkspace", () => {
  it("is a component that owns everything in it, all of it tagged", async () => {
    const result = await run();
    const component = result.one("triton-azure:index:MlWorkspace");
    const own = custom(result).filter(({ name }) => name.startsWith("ml-"));
    expect(own).toHaveLength(16);
    for (const resource of own) expect(resource.parent).toBe(component.urn);
    expect(untagged(result)).toEqual([]);
  });

  it("M3: links storage, vault, registry and insights, and works with its own identity", async () => {
    const result = await run();
    const identity = identityOf(result).id;
    expect(workspaceOf(result).inputs).toMatchObject({
      sku: { name: "Basic" },
      storageAccount: result.one("StorageAccount", "ml-storage").id,
      keyVault: result.one("Vault").id,
      applicationInsights: result.one("applicationinsights:Component").id,
      containerRegistry: registryId,
      identity: { type: "UserAssigned", userAssignedIdentities: [identity] },
      primaryUserAssignedIdentity: identity,
      publicNetworkAccess: "Enabled",
    });
  });

  it("M1, M4: has flat storage without keys, and reads it with its identity", async () => {
    const result = await run();
    expect(result.one("StorageAccount", "ml-storage").inputs).toMatchObject({
      kind: "StorageV2",
      isHnsEnabled: false,
      allowSharedKeyAccess: false,
      allowBlobPublicAccess: false,
      minimumTlsVersion: "TLS1_2",
    });
    expect(workspaceOf(result).inputs["systemDatastoresAuthMode"]).toBe("Identity");
  });

  it("M8: closes neither its storage nor its vault to Studio, which has no private way to them", async () => {
    const result = await run({ production: true });
    expect(result.one("StorageAccount", "ml-storage").inputs).toMatchObject({
      publicNetworkAccess: "Enabled",
      networkRuleSet: { defaultAction: "Allow" },
    });
    expect(result.one("Vault").inputs["properties"]).toMatchObject({ publicNetworkAccess: "Enabled" });
  });

  it("M2: takes a name of the stack's suffix, so that a deleted namesake is no obstacle to a new stack", async () => {
    const names = await Promise.all(
      [suffix, "zz99"].map(async (other) => {
        const result = await run({ naming: { ...args.naming, suffix: other } });
        return [workspaceOf(result).inputs["workspaceName"], result.one("Vault").inputs["vaultName"]];
      }),
    );
    expect(names).toEqual([
      [`ml-dev-${suffix}`, `ml-dev-${suffix}`],
      ["ml-dev-zz99", "ml-dev-zz99"],
    ]);
  });

  it("M4, P18: comes after all rights of its identity, each with kind, object id and time to spread", async () => {
    for (const dryRun of [false, true]) {
      const result = await run({}, dryRun);
      const rights = result.all("RoleAssignment").filter(({ name }) => !name.startsWith("ml-scientist"));
      expect(rights).toHaveLength(7);
      for (const right of rights) {
        expect(comesAfter(result, workspaceOf(result), right), right.name).toBe(true);
        expect(right.inputs["principalType"]).toBe("ServicePrincipal");
        expect(right.options.hooks?.["afterCreate"]).toHaveLength(1);
        expect(right.inputs["principalId"]).toEqual(dryRun ? unknown : identityOf(result).outputs["principalId"]);
      }
    }
  });

  it("gives its identity what Azure ML asks for and no more", async () => {
    const result = await run();
    const storage = result.one("StorageAccount", "ml-storage").id;
    const vault = result.one("Vault").id;
    const rights = rightsOf(result, identityOf(result).outputs["principalId"]);
    expect(rights.map(({ role, scope }) => `${role} ${scope}`).sort()).toEqual(
      [
        `${roles.contributor} ${storage}`,
        `${roles.storageBlobDataContributor} ${storage}`,
        `${roles.contributor} ${vault}`,
        `${roles.keyVaultAdministrator} ${vault}`,
        `${roles.contributor} ${registryId}`,
        `${roles.contributor} ${result.one("applicationinsights:Component").id}`,
        `${roles.storageBlobDataReader} ${result.one("BlobContainer").id}`,
      ].sort(),
    );
  });

  it("lets data scientists use the workspace and its storage, but not the models", async () => {
    const result = await run();
    expect(rightsOf(result, scientist)).toEqual([
      { name: `ml-scientist-${scientist}`, role: roles.amlDataScientist, scope: workspaceOf(result).id },
      {
        name: `ml-scientist-data-${scientist}`,
        role: roles.storageBlobDataContributor,
        scope: result.one("StorageAccount", "ml-storage").id,
      },
    ]);
    expect(result.one("RoleAssignment", `ml-scientist-${scientist}`).inputs["principalType"]).toBe("User");
  });

  it("bounds the logs in time and amount, and takes them from identities alone", async () => {
    const result = await run({ config: { ...args.config, logRetentionDays: 90, logDailyCapGiB: 0.5 } });
    const logs = result.one("operationalinsights:Workspace");
    expect(logs.inputs).toMatchObject({
      retentionInDays: 90,
      workspaceCapping: { dailyQuotaGb: 0.5 },
      features: { disableLocalAuth: true },
    });
    expect(result.one("applicationinsights:Component").inputs).toMatchObject({
      workspaceResourceId: logs.id,
      ingestionMode: "LogAnalytics",
      disableLocalAuth: true,
    });
  });

  it("keeps secrets under Entra ID's roles, purge-protected in production and unset elsewhere", async () => {
    const vault = async (production: boolean) =>
      (await run({ production })).one("Vault").inputs["properties"] as Record<string, unknown>;
    expect(await vault(true)).toMatchObject({
      enableRbacAuthorization: true,
      enableSoftDelete: true,
      softDeleteRetentionInDays: 90,
      enablePurgeProtection: true,
    });
    expect(await vault(false)).toMatchObject({ enableRbacAuthorization: true, softDeleteRetentionInDays: 7 });
    expect(await vault(false)).not.toHaveProperty("enablePurgeProtection");
    expect((await vault(false))["tenantId"]).toBe(identityOf(await run()).outputs["tenantId"]);
  });

  it("shows the settings of the vault in a plan before anything exists", async () => {
    expect((await run({ production: true }, true)).one("Vault").inputs["properties"]).toMatchObject({
      enableRbacAuthorization: true,
      enablePurgeProtection: true,
    });
  });

  it("copies its storage over zones in production only", async () => {
    const sku = async (production: boolean) =>
      (await run({ production })).one("StorageAccount", "ml-storage").inputs["sku"];
    expect(await sku(true)).toEqual({ name: "Standard_ZRS" });
    expect(await sku(false)).toEqual({ name: "Standard_LRS" });
  });

  it("protects and keeps what holds data when asked to", async () => {
    const kept = (result: Run) =>
      custom(result)
        .filter(({ options }) => options.protect === true && options.retainOnDelete === true)
        .map(({ name }) => name)
        .sort();
    expect(kept(await run({ protect: true }))).toEqual(["ml-logs", "ml-storage", "ml-vault", "ml-workspace"]);
    expect(kept(await run())).toEqual([]);
  });

  it("knows the model container as a datastore without credentials, in the account's own resource group", async () => {
    const result = await run();
    const datastore = result.one("Datastore");
    expect(datastore.inputs).toMatchObject({
      name: "model_repository",
      workspaceName: `ml-dev-${suffix}`,
      properties: {
        datastoreType: "AzureBlob",
        accountName: result.one("StorageAccount", "models-westeurope-account").inputs["accountName"],
        containerName: "model-repository",
        subscriptionId: "00000000-0000-0000-0000-000000000000",
        resourceGroup: "group-of-region",
        credentials: { credentialsType: "None" },
        serviceDataAccessAuthIdentity: "WorkspaceUserAssignedIdentity",
      },
    });
    expect(comesAfter(result, datastore, result.one("RoleAssignment", "ml-model-reader"))).toBe(true);
    expect(datastore.options.deletedWith).toBe(workspaceOf(result).urn);
  });
});
