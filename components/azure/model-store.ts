import * as storage from "@pulumi/azure-native/storage";
import * as pulumi from "@pulumi/pulumi";
import type { Principal, StackConfig } from "../../config";
import { formatCidr, parseCidr } from "../../core/cidr";
import { accountKeyTag, modelContainer } from "../../core/model-repository";
import { nameFor } from "../../core/naming";
import { grant } from "./grant";
import { keepsData } from "./keeps-data";
import { privateEndpoint } from "./private-endpoint";
import { flatAccount } from "./storage-account";
import type { Placement } from "./placement";
import { present } from "./present";

type ModelStoreConfig = StackConfig["modelStore"];

export interface ModelStoreArgs extends Placement {
  readonly config: ModelStoreConfig;
  /** Whether account and container are protected from deletion. */
  readonly protect: boolean;
  /** Subnet of the pods that read models, with the service endpoint `Microsoft.Storage`. */
  readonly nodeSubnetId: pulumi.Input<string>;
  readonly privateEndpointSubnetId: pulumi.Input<string>;
  /** Needed when `config.network` is `private-endpoint`. */
  readonly blobDnsZoneId?: pulumi.Input<string> | undefined;
  /** Who may write releases. */
  readonly publishers: readonly Principal[];
  /** Seconds to wait after each role assignment. */
  readonly propagationSeconds: number;
}

/**
 * The storage account of a region and its container of model releases, reached by the region's pods and by publishers.
 * Releases are written by publishing and removed by pruning, never by this program or by age.
 */
export class ModelStore extends pulumi.ComponentResource {
  public readonly accountId: pulumi.Output<string>;
  public readonly accountName: pulumi.Output<string>;
  /** Resource id of the container: scope of the roles of those who read and write models. */
  public readonly containerId: pulumi.Output<string>;
  public readonly containerName: pulumi.Output<string>;
  /** Secret; only with `auth: account-key`. */
  public readonly accountKey: pulumi.Output<string> | undefined;

  constructor(name: string, args: ModelStoreArgs, opts?: pulumi.ComponentResourceOptions) {
    super("triton-azure:index:ModelStore", name, {}, opts);
    const { config, resourceGroupName } = args;
    const child = { parent: this };

    const account = createAccount(name, args, child);
    const container = createContainer(name, args, account, child);
    if (config.network === "private-endpoint") createEndpoint(name, args, account.id, child);
    for (const { objectId, type } of args.publishers) {
      grant(
        `${name}-publisher-${objectId}`,
        {
          principalId: objectId,
          principalType: type,
          role: "storageBlobDataContributor",
          scope: container.id,
          propagationSeconds: args.propagationSeconds,
        },
        child,
      );
    }

    this.accountId = account.id;
    this.accountName = account.name;
    this.containerId = container.id;
    this.containerName = container.name;
    this.accountKey =
      config.auth === "account-key" ? firstKey({ resourceGroupName, accountName: account.name }, child) : undefined;
    this.registerOutputs({ accountName: this.accountName, containerName: this.containerName });
  }
}

const createAccount = (
  name: string,
  { resourceGroupName, location, naming, tags, config, protect, nodeSubnetId }: ModelStoreArgs,
  opts: pulumi.CustomResourceOptions,
) =>
  new storage.StorageAccount(
    `${name}-account`,
    {
      resourceGroupName,
      location,
      accountName: nameFor(naming, "storageAccount", "models"),
      ...flatAccount,
      sku: { name: `Standard_${config.replication}` },
      allowSharedKeyAccess: config.auth === "account-key",
      ...accessRules(config, nodeSubnetId),
      tags: config.auth === "account-key" ? { ...tags, [accountKeyTag.name]: accountKeyTag.value } : tags,
    },
    { ...opts, ...keepsData(protect) },
  );

/**
 * Who may connect: the pods by a route of theirs, which no rule by address could give them (Azure Storage: rules by
 * address have no effect on requests from the account's own location), and publishers by address.
 */
function accessRules(
  { network, publisherIpRanges }: ModelStoreConfig,
  nodeSubnetId: pulumi.Input<string>,
): Pick<storage.StorageAccountArgs, "publicNetworkAccess" | "networkRuleSet"> {
  // Azure services that Azure Storage trusts come in, Azure ML among them; they still need a role.
  const closed = { defaultAction: "Deny", bypass: "AzureServices" } as const;
  if (network === "private-endpoint") return { publicNetworkAccess: "Disabled", networkRuleSet: closed };
  return {
    publicNetworkAccess: "Enabled",
    networkRuleSet: {
      ...closed,
      virtualNetworkRules: [{ virtualNetworkResourceId: nodeSubnetId, action: "Allow" }],
      ipRules: storageIpRanges(publisherIpRanges).map((iPAddressOrRange) => ({ iPAddressOrRange, action: "Allow" })),
    },
  };
}

/** Ranges as the firewall of Azure Storage takes them: it refuses /31 and /32 and wants those addresses one by one. */
export function storageIpRanges(ranges: readonly string[]): string[] {
  const accepted = ranges.flatMap((text) => {
    const range = parseCidr(text.includes("/") ? text : `${text}/32`);
    if (range === undefined) throw new pulumi.RunError(`publisherIpRanges: ${text} is not an address range`);
    if (range.prefix < 31) return [formatCidr(range)];
    return [...new Set([range.first, range.last])].map((address) =>
      formatCidr({ first: address, last: address, prefix: 32 }).replace("/32", ""),
    );
  });
  return [...new Set(accepted)];
}

/** The container, and before it what lets one restore what is deleted or overwritten in it. */
function createContainer(
  name: string,
  { resourceGroupName, config, protect }: ModelStoreArgs,
  account: storage.StorageAccount,
  opts: pulumi.CustomResourceOptions,
): storage.BlobContainer {
  const inAccount = { resourceGroupName, accountName: account.name };
  // Settings of the account go with it: undone alone, as a destroy would, they would leave a kept account without them.
  const ofAccount = { ...opts, deletedWith: account };
  const softDelete = { enabled: true, days: config.softDeleteDays };
  const blobService = new storage.BlobServiceProperties(
    `${name}-blob-service`,
    {
      ...inAccount,
      blobServicesName: "default",
      isVersioningEnabled: true,
      deleteRetentionPolicy: softDelete,
      containerDeleteRetentionPolicy: softDelete,
    },
    ofAccount,
  );
  new storage.ManagementPolicy(
    `${name}-lifecycle`,
    { ...inAccount, managementPolicyName: "default", policy: { rules: [formerVersions(config.versionDays)] } },
    { ...ofAccount, dependsOn: blobService },
  );
  return new storage.BlobContainer(
    `${name}-container`,
    { ...inAccount, containerName: modelContainer, publicAccess: "None" },
    { ...opts, ...keepsData(protect), dependsOn: blobService },
  );
}

/** Never with an action on base blobs: those under `releases/` are what Triton serves, however old they are. */
const formerVersions = (days: number) => ({
  name: "delete-former-versions",
  type: "Lifecycle",
  enabled: true,
  definition: {
    filters: { blobTypes: ["blockBlob"] },
    actions: {
      version: { delete: { daysAfterCreationGreaterThan: days } },
      snapshot: { delete: { daysAfterCreationGreaterThan: days } },
    },
  },
});

function createEndpoint(
  name: string,
  { blobDnsZoneId, privateEndpointSubnetId, ...place }: ModelStoreArgs,
  accountId: pulumi.Input<string>,
  opts: pulumi.CustomResourceOptions,
): void {
  if (blobDnsZoneId === undefined) {
    throw new pulumi.RunError(`${name}: modelStore.network private-endpoint needs the network's zone for its names`);
  }
  privateEndpoint(
    name,
    {
      ...place,
      purpose: "models",
      targetId: accountId,
      group: "blob",
      subnetId: privateEndpointSubnetId,
      dnsZoneId: blobDnsZoneId,
    },
    opts,
  );
}

/** Secret before anything is read from it: azure-native does not mark the answer. */
const firstKey = (
  account: { resourceGroupName: pulumi.Input<string>; accountName: pulumi.Input<string> },
  opts: pulumi.InvokeOptions,
): pulumi.Output<string> =>
  pulumi
    .secret(storage.listStorageAccountKeysOutput(account, opts))
    .apply(({ keys }) => present(keys[0]?.value, "Azure Storage gave no key for the account of the model store"));
