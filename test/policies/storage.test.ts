import { describe, expect, it } from "vitest";
import { storageFlat } from "../../policies/rules/storage-flat";
import { storageLifecycleKeepsBlobs } from "../../policies/rules/storage-lifecycle-keeps-blobs";
import { storageNoKeyedBlobs } from "../../policies/rules/storage-no-keyed-blobs";
import { storageNoPublicBlobs } from "../../policies/rules/storage-no-public-blobs";
import { storageNoSharedKeys } from "../../policies/rules/storage-no-shared-keys";
import { storageRoute } from "../../policies/rules/storage-route";
import { storageTls } from "../../policies/rules/storage-tls";
import { lifecycle, modelContainer, privateEndpoint, storageAccount } from "./fixtures/azure";
import { type Fixture, verdicts } from "./support/analyzer";
import { promises } from "./support/promises";
import { changed, unknown } from "./support/values";

promises(storageNoPublicBlobs, "storage account", {
  of: storageAccount,
  refuses: [{ path: "allowBlobPublicAccess", to: true, saying: /^allowBlobPublicAccess is true; it must be false$/ }],
  needs: [{ path: "allowBlobPublicAccess", saying: /^allowBlobPublicAccess is missing; it must be false$/ }],
  reads: ["allowBlobPublicAccess"],
});

promises(storageNoPublicBlobs, "container", {
  of: modelContainer,
  refuses: [
    { path: "publicAccess", to: "Blob", saying: /publicAccess is Blob; it must be None/ },
    { path: "publicAccess", to: "Container", saying: /publicAccess is Container; it must be None/ },
  ],
  reads: ["publicAccess"],
  allows: [{ path: "publicAccess", to: undefined, because: "a container without access of its own" }],
});

promises(storageNoSharedKeys, "storage account", {
  of: storageAccount,
  refuses: [
    { path: "allowSharedKeyAccess", to: true, saying: /allowSharedKeyAccess is true; it must be false/ },
    { path: "allowSharedKeyAccess", to: "false", saying: /it must be false/, because: "a text instead of false" },
  ],
  needs: [{ path: "allowSharedKeyAccess", saying: /allowSharedKeyAccess is missing/ }],
  reads: ["allowSharedKeyAccess"],
});

describe("storage-no-shared-keys: account key chosen by the stack", () => {
  const keyed = changed(storageAccount.props, "allowSharedKeyAccess", true);
  const judge = (props: Fixture["props"], settings = {}) =>
    verdicts(storageNoSharedKeys, [{ ...storageAccount, props }], settings);

  it("allows the key on an account that is tagged as such", async () => {
    expect(await judge(changed(keyed, "tags.model-store-auth", "account-key"))).toEqual([]);
  });
  it("refuses the key for any other value of the tag", async () => {
    expect(await judge(changed(keyed, "tags.model-store-auth", "workload-identity"))).toHaveLength(1);
  });
  it("refuses the key while the tag is not known", async () => {
    expect(await judge(changed(keyed, "tags.model-store-auth", unknown))).toHaveLength(1);
  });
  it("refuses the key despite the tag where the settings allow none", async () => {
    const tagged = changed(keyed, "tags.model-store-auth", "account-key");
    expect(await judge(tagged, { allowAccountKey: false })).toHaveLength(1);
  });
});

promises(storageTls, "storage account", {
  of: storageAccount,
  refuses: [
    { path: "minimumTlsVersion", to: "TLS1_0", saying: /minimumTlsVersion is TLS1_0; it must be TLS1_2 or TLS1_3/ },
    { path: "enableHttpsTrafficOnly", to: false, saying: /enableHttpsTrafficOnly is false; it must be true/ },
  ],
  needs: [{ path: "minimumTlsVersion", saying: /minimumTlsVersion is missing/ }],
  reads: ["minimumTlsVersion", "enableHttpsTrafficOnly"],
  allows: [{ path: "minimumTlsVersion", to: "TLS1_3", because: "TLS 1.3" }],
});

promises(storageFlat, "storage account (M1)", {
  of: storageAccount,
  refuses: [
    { path: "isHnsEnabled", to: true, saying: /isHnsEnabled is true; it must be false/ },
    { path: "kind", to: "BlobStorage", saying: /kind is BlobStorage; it must be StorageV2/ },
    { path: "sku.name", to: "Premium_LRS", saying: /sku\.name is Premium_LRS; it must be a Standard SKU/ },
  ],
  needs: [
    { path: "kind", saying: /kind is missing/ },
    { path: "sku.name", saying: /sku\.name is missing/ },
  ],
  reads: ["kind", "sku.name", "isHnsEnabled"],
});

promises(storageLifecycleKeepsBlobs, "lifecycle rules", {
  of: lifecycle,
  refuses: [
    {
      path: "policy.rules[0].definition.actions.baseBlob",
      to: { delete: { daysAfterModificationGreaterThan: 365 } },
      saying: /^policy\.rules\[0\]\.definition\.actions\.baseBlob acts on the blobs themselves; remove it$/,
    },
  ],
  needs: [
    { path: "policy.rules", saying: /policy\.rules is missing/ },
    { path: "policy.rules[0].definition.actions", saying: /actions is missing/ },
  ],
  reads: ["policy", "policy.rules[0].definition", "policy.rules[0].definition.actions.baseBlob"],
});

const blob: Fixture = {
  type: "azure-native:storage:Blob",
  name: "config",
  props: { accountName: "modelsdevexmpl", containerName: "model-repository", blobName: "a" },
  from: { accountName: ["models"] },
};

describe("storage-no-keyed-blobs (P16)", () => {
  const keyed = { ...storageAccount, props: changed(storageAccount.props, "allowSharedKeyAccess", true) };

  it("refuses a blob in an account without keys", async () => {
    expect(await verdicts(storageNoKeyedBlobs, [storageAccount, blob])).toEqual([
      { level: "mandatory", name: "config", message: expect.stringContaining("the account models refuses") as unknown },
    ]);
  });
  it("allows a blob in an account with keys", async () => {
    expect(await verdicts(storageNoKeyedBlobs, [keyed, blob])).toEqual([]);
  });
  it("refuses a blob whose account cannot be told when any account refuses keys", async () => {
    const { from: _, ...lost } = blob;
    const other = { ...storageAccount, name: "other" };
    expect(await verdicts(storageNoKeyedBlobs, [keyed, other, lost])).toHaveLength(1);
  });
  it("refuses a blob in an account of another stack", async () => {
    const { from: _, ...lost } = blob;
    expect(await verdicts(storageNoKeyedBlobs, [lost])).toHaveLength(1);
  });
  it("reports that the account's setting is not known yet", async () => {
    const vague = { ...storageAccount, props: changed(storageAccount.props, "allowSharedKeyAccess", unknown) };
    expect(await verdicts(storageNoKeyedBlobs, [vague, blob])).toMatchObject([{ level: "advisory" }]);
  });
});

promises(storageRoute, "model store with a virtual network rule", {
  of: storageAccount,
  beside: [modelContainer],
  refuses: [
    { path: "networkRuleSet.defaultAction", to: "Allow", saying: /defaultAction is Allow; it must be Deny/ },
    {
      path: "networkRuleSet.virtualNetworkRules",
      to: [],
      saying: /leaves the pods no route/,
      because: "IP rules alone",
    },
    { path: "publicNetworkAccess", to: "Disabled", saying: /no private endpoint for blob/ },
  ],
  needs: [
    { path: "networkRuleSet.defaultAction", saying: /defaultAction is missing; it must be Deny/ },
    { path: "networkRuleSet.virtualNetworkRules", saying: /leaves the pods no route/ },
  ],
  reads: ["networkRuleSet.defaultAction", "networkRuleSet.virtualNetworkRules", "publicNetworkAccess"],
});

promises(storageRoute, "model store with a private endpoint", {
  of: {
    ...storageAccount,
    props: { ...storageAccount.props, publicNetworkAccess: "Disabled", networkRuleSet: { defaultAction: "Deny" } },
  },
  beside: [modelContainer, privateEndpoint],
  allows: [
    { path: "publicNetworkAccess", to: "Enabled", because: "publishers by address beside the private endpoint" },
  ],
});

describe("storage-route: other accounts and endpoints", () => {
  const closed = { ...storageAccount, props: changed(storageAccount.props, "publicNetworkAccess", "Disabled") };

  it("takes an endpoint for files for no route to blobs (M8)", async () => {
    const files = {
      ...privateEndpoint,
      props: changed(privateEndpoint.props, "privateLinkServiceConnections[0].groupIds", ["file"]),
    };
    expect(await verdicts(storageRoute, [closed, modelContainer, files])).toHaveLength(1);
  });
  it("takes an endpoint of another account for no route", async () => {
    const other = { ...storageAccount, name: "other" };
    const elsewhere = { ...privateEndpoint, from: { privateLinkServiceConnections: ["other"] } };
    expect(await verdicts(storageRoute, [closed, other, modelContainer, elsewhere])).toMatchObject([
      { name: "models" },
    ]);
  });
  it("lets an account without models be open, but not closed without an endpoint (M8)", async () => {
    const open = { ...storageAccount, props: changed(storageAccount.props, "networkRuleSet", undefined) };
    expect(await verdicts(storageRoute, [open])).toEqual([]);
    expect(await verdicts(storageRoute, [closed])).toHaveLength(1);
  });
  it("refuses a model container whose account cannot be told", async () => {
    const { from: _, ...lost } = modelContainer;
    expect(await verdicts(storageRoute, [storageAccount, lost])).toMatchObject([
      { name: "releases", message: expect.stringContaining("cannot tell which account") as unknown },
    ]);
  });
  it("knows the container by the name that Azure answers", async () => {
    const answered = { ...modelContainer, props: { name: "model-repository" } };
    const open = { ...storageAccount, props: changed(storageAccount.props, "networkRuleSet.defaultAction", "Allow") };
    expect(await verdicts(storageRoute, [open, answered])).toHaveLength(1);
  });
  it("still judges the other accounts when one is not known yet", async () => {
    const vague = {
      ...storageAccount,
      name: "vague",
      props: changed(storageAccount.props, "publicNetworkAccess", unknown),
    };
    expect(await verdicts(storageRoute, [vague, closed])).toMatchObject([
      { level: "mandatory", name: "models" },
      { level: "advisory", message: expect.stringContaining("vague.publicNetworkAccess") as unknown },
    ]);
  });
});
