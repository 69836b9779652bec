import { StorageAccount } from "@pulumi/azure-native/storage";
import { ConfigMap } from "@pulumi/kubernetes/core/v1";
import { describe, expect, it } from "vitest";
import { ModelStore, type ModelStoreArgs, storageIpRanges } from "../../../components/azure/model-store";
import { roles } from "../../../core/roles";
import { accountKey, containsPlain, input, isSecret, leaks, runProgram, unknown } from "../../support/engine";
import { valueOf } from "../../support/outputs";
import {
  blobDnsZoneId,
  comesAfter,
  custom,
  memoized,
  nodeSubnetId,
  place,
  privateEndpointSubnetId,
  suffix,
  untagged,
} from "./support";

const config: ModelStoreArgs["config"] = {
  auth: "workload-identity",
  replication: "ZRS",
  network: "service-endpoint",
  publisherIpRanges: [],
  softDeleteDays: 14,
  versionDays: 30,
};
const publisher = "22222222-2222-4222-8222-222222222222";
const args: ModelStoreArgs = {
  ...place,
  config,
  protect: false,
  nodeSubnetId,
  privateEndpointSubnetId,
  publishers: [{ objectId: publisher, type: "ServicePrincipal" }],
  propagationSeconds: 0,
};
const privately: Partial<ModelStoreArgs> = { config: { ...config, network: "private-endpoint" }, blobDnsZoneId };

const run = memoized((changes: Partial<ModelStoreArgs> = {}, dryRun?: boolean) =>
  runProgram(() => new ModelStore("models-westeurope", { ...args, ...changes }), { dryRun: dryRun ?? false }),
);

describe("ModelStore", () => {
  it("is a component that owns everything in it, all of it tagged", async () => {
    const result = await run(privately);
    const component = result.one("triton-azure:index:ModelStore");
    expect(custom(result)).toHaveLength(7);
    for (const resource of custom(result)) expect(resource.parent).toBe(component.urn);
    expect(untagged(result)).toEqual([]);
  });

  it("M1: is a flat StorageV2 account that Azure ML can link, closed to anonymous and old clients", async () => {
    const { inputs } = (await run()).one("StorageAccount");
    expect(inputs).toMatchObject({
      location: "westeurope",
      kind: "StorageV2",
      sku: { name: "Standard_ZRS" },
      isHnsEnabled: false,
      minimumTlsVersion: "TLS1_2",
      enableHttpsTrafficOnly: true,
      allowBlobPublicAccess: false,
      allowCrossTenantReplication: false,
      defaultToOAuthAuthentication: true,
      allowSharedKeyAccess: false,
    });
    expect(inputs["accountName"]).toMatch(new RegExp(`^models[a-z0-9]+${suffix}$`));
  });

  it("gives the pods a route by service endpoint and publishers one by address", async () => {
    const { inputs } = (
      await run({ config: { ...config, publisherIpRanges: ["203.0.113.0/24", "198.51.100.7/32"] } })
    ).one("StorageAccount");
    expect(inputs).toMatchObject({ publicNetworkAccess: "Enabled" });
    expect(inputs["networkRuleSet"]).toEqual({
      defaultAction: "Deny",
      bypass: "AzureServices",
      virtualNetworkRules: [{ virtualNetworkResourceId: nodeSubnetId, action: "Allow" }],
      ipRules: [
        { iPAddressOrRange: "203.0.113.0/24", action: "Allow" },
        { iPAddressOrRange: "198.51.100.7", action: "Allow" },
      ],
    });
  });

  it("M8: closes the public address only together with a private endpoint and its name", async () => {
    const result = await run(privately);
    const account = result.one("StorageAccount");
    expect(account.inputs).toMatchObject({
      publicNetworkAccess: "Disabled",
      networkRuleSet: { defaultAction: "Deny", bypass: "AzureServices" },
    });
    expect(result.one("PrivateEndpoint").inputs).toMatchObject({
      subnet: { id: privateEndpointSubnetId },
      privateLinkServiceConnections: [{ groupIds: ["blob"], privateLinkServiceId: account.id }],
    });
    expect(result.one("PrivateDnsZoneGroup").inputs).toMatchObject({
      privateDnsZoneConfigs: [{ privateDnsZoneId: blobDnsZoneId }],
    });
    expect((await run()).all("PrivateEndpoint")).toEqual([]);
  });

  it("refuses a private endpoint without a zone: names would go on leading to the closed address", async () => {
    await expect(run({ config: { ...config, network: "private-endpoint" } })).rejects.toThrow(
      "modelStore.network private-endpoint needs the network's zone",
    );
  });

  it("keeps what is deleted or overwritten for a while, before the container can hold anything", async () => {
    const result = await run();
    expect(result.one("BlobServiceProperties").inputs).toMatchObject({
      blobServicesName: "default",
      isVersioningEnabled: true,
      deleteRetentionPolicy: { enabled: true, days: 14 },
      containerDeleteRetentionPolicy: { enabled: true, days: 14 },
    });
    const container = result.one("BlobContainer");
    expect(container.inputs).toMatchObject({ containerName: "model-repository", publicAccess: "None" });
    expect(comesAfter(result, container, result.one("BlobServiceProperties"))).toBe(true);
  });

  it("deletes by age former versions and snapshots, and never a base blob", async () => {
    const rules = input<{ definition: { actions: object } }[]>((await run()).one("ManagementPolicy"), "policy.rules");
    expect(rules).toHaveLength(1);
    expect(rules[0]?.definition.actions).toEqual({
      version: { delete: { daysAfterCreationGreaterThan: 30 } },
      snapshot: { delete: { daysAfterCreationGreaterThan: 30 } },
    });
  });

  it("P16: leaves the blobs to publishing", async () => {
    for (const auth of ["workload-identity", "account-key"] as const) {
      expect((await run({ config: { ...config, auth } })).all("azure-native:storage:Blob")).toEqual([]);
    }
  });

  it("P18: lets publishers write to the container alone, with their kind and once each", async () => {
    const result = await run({
      publishers: [...args.publishers, { objectId: publisher.replaceAll("2", "3"), type: "Group" }],
    });
    const assignments = result.all("RoleAssignment");
    expect(assignments.map(({ inputs }) => [inputs["principalId"], inputs["principalType"]]).sort()).toEqual([
      [publisher, "ServicePrincipal"],
      [publisher.replaceAll("2", "3"), "Group"],
    ]);
    for (const { inputs, options } of assignments) {
      expect(inputs["scope"]).toBe(result.one("BlobContainer").id);
      expect(inputs["roleDefinitionId"]).toMatch(new RegExp(`${roles.storageBlobDataContributor}$`));
      expect(options.hooks?.["afterCreate"]).toHaveLength(1);
    }
    expect(new Set(assignments.map(({ inputs }) => inputs["roleAssignmentName"])).size).toBe(2);
  });

  it("protects and keeps account and container in production only", async () => {
    for (const type of ["StorageAccount", "BlobContainer"]) {
      expect((await run({ protect: true })).one(type).options).toMatchObject({ protect: true, retainOnDelete: true });
      const { options } = (await run()).one(type);
      expect([options.protect, options.retainOnDelete]).toEqual([undefined, undefined]);
    }
  });

  it("never undoes the settings of an account that a destroy keeps", async () => {
    const result = await run({ protect: true });
    for (const type of ["BlobServiceProperties", "ManagementPolicy"]) {
      expect(result.one(type).options.deletedWith).toBe(result.one("StorageAccount").urn);
    }
  });

  it("is planned in full before anything exists", async () => {
    const result = await run(privately, true);
    expect(custom(result)).toHaveLength(7);
    expect(result.one("RoleAssignment").inputs["scope"]).toEqual(unknown);
    expect(result.one("StorageAccount").inputs["accountName"]).toBe(`modelsdevwesteurope${suffix}`);
  });
});

describe("the key of the model store", () => {
  const withKey = { ...args, config: { ...config, auth: "account-key" as const } };

  it("is neither asked for nor usable by default", async () => {
    let store: ModelStore | undefined;
    const result = await runProgram(() => {
      store = new ModelStore("models-westeurope", args);
    });
    expect(store?.accountKey).toBeUndefined();
    expect(result.invocations.map(({ token }) => token)).not.toContain("azure-native:storage:listStorageAccountKeys");
  });

  it("P7: is secret from Azure's answer to where it is used", async () => {
    let key: Promise<string> | undefined;
    const result = await runProgram(() => {
      const store = new ModelStore("models-westeurope", withKey);
      if (store.accountKey === undefined) throw new Error("no key");
      key = valueOf(store.accountKey);
      // Not a Secret: its class marks what it is given, whether that came marked or not.
      new ConfigMap("user", { data: { KEY: store.accountKey } });
    });
    expect(await key).toBe(accountKey);
    expect(input(result.one("ConfigMap"), "data.KEY")).toBe(accountKey);
    expect(isSecret(result.one("ConfigMap"), "data.KEY")).toBe(true);
    expect(leaks(result, accountKey)).toEqual([]);
    expect(result.one("StorageAccount").inputs["allowSharedKeyAccess"]).toBe(true);
    expect(comesAfter(result, result.one("ConfigMap"), result.one("StorageAccount"))).toBe(true);
  });

  it("P7: would show if it were plain (the search finds it)", async () => {
    const result = await runProgram(() => {
      new StorageAccount("plain", { resourceGroupName: accountKey, kind: "StorageV2", sku: { name: "Standard_LRS" } });
    });
    expect(containsPlain(result, accountKey)).toBe(true);
  });
});

describe("addresses for the firewall of Azure Storage", () => {
  it("are single where the range holds one or two, which the firewall refuses as ranges", () => {
    expect(storageIpRanges(["203.0.113.7", "203.0.113.7/32", "198.51.100.6/31", "192.0.2.0/30"])).toEqual([
      "203.0.113.7",
      "198.51.100.6",
      "198.51.100.7",
      "192.0.2.0/30",
    ]);
  });
});
