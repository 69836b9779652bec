import * as applicationinsights from "@pulumi/azure-native/applicationinsights";
import * as authorization from "@pulumi/azure-native/authorization";
import * as keyvault from "@pulumi/azure-native/keyvault";
import * as operationalinsights from "@pulumi/azure-native/operationalinsights";
import * as storage from "@pulumi/azure-native/storage";
import type * as pulumi from "@pulumi/pulumi";
import { hasZones } from "../../core/azure-locations";
import { nameFor } from "../../core/naming";
import { keepsData } from "./keeps-data";
import type { MlWorkspaceArgs } from "./ml-workspace";
import { flatAccount } from "./storage-account";

/** The resources that an Azure ML workspace is linked to, each made as the workspace needs it. */
type Dependencies = Pick<
  MlWorkspaceArgs,
  "resourceGroupName" | "location" | "naming" | "tags" | "config" | "production" | "protect"
>;

export const createLogAnalytics = (
  name: string,
  { resourceGroupName, location, naming, tags, config, protect }: Dependencies,
  opts: pulumi.CustomResourceOptions,
) =>
  new operationalinsights.Workspace(
    `${name}-logs`,
    {
      resourceGroupName,
      location,
      workspaceName: nameFor(naming, "logAnalytics"),
      sku: { name: "PerGB2018" },
      retentionInDays: config.logRetentionDays,
      workspaceCapping: { dailyQuotaGb: config.logDailyCapGiB },
      features: { disableLocalAuth: true },
      tags,
    },
    { ...opts, ...keepsData(protect) },
  );

export const createInsights = (
  name: string,
  { resourceGroupName, location, naming, tags }: Dependencies,
  logAnalyticsId: pulumi.Input<string>,
  opts: pulumi.CustomResourceOptions,
) =>
  new applicationinsights.Component(
    `${name}-insights`,
    {
      resourceGroupName,
      location,
      resourceName: nameFor(naming, "appInsights"),
      kind: "web",
      applicationType: "web",
      ingestionMode: "LogAnalytics",
      workspaceResourceId: logAnalyticsId,
      disableLocalAuth: true,
      tags,
    },
    opts,
  );

export const createVault = (
  name: string,
  { resourceGroupName, location, naming, tags, production, protect }: Dependencies,
  opts: pulumi.CustomResourceOptions,
) =>
  new keyvault.Vault(
    `${name}-vault`,
    {
      resourceGroupName,
      location,
      vaultName: nameFor(naming, "keyVault", "ml"),
      properties: {
        // The subscription's tenant, whoever deploys. Known in a first preview, unlike an output of the identity: with one
        // unknown value in it azure-native hides all of `properties` from policies.
        tenantId: authorization.getClientConfigOutput(opts).tenantId,
        sku: { family: "A", name: "standard" },
        enableRbacAuthorization: true,
        enableSoftDelete: true,
        // Fixed when the vault is created. A deleted vault keeps its name for so long.
        softDeleteRetentionInDays: production ? 90 : 7,
        // Never `false`: Key Vault refuses that value, and nothing takes the protection back.
        ...(production && { enablePurgeProtection: true }),
        publicNetworkAccess: "Enabled",
      },
      tags,
    },
    { ...opts, ...keepsData(protect) },
  );

/**
 * Storage for what the workspace makes itself: snapshots, logs, uploads. Its blob service is left to Azure ML, which sets
 * rules for browsers (CORS) there.
 */
export const createStorage = (
  name: string,
  { resourceGroupName, location, naming, tags, production, protect }: Dependencies,
  opts: pulumi.CustomResourceOptions,
) =>
  new storage.StorageAccount(
    `${name}-storage`,
    {
      resourceGroupName,
      location,
      accountName: nameFor(naming, "storageAccount", "ml"),
      ...flatAccount,
      sku: { name: production && hasZones(location) ? "Standard_ZRS" : "Standard_LRS" },
      allowSharedKeyAccess: false,
      publicNetworkAccess: "Enabled",
      networkRuleSet: { defaultAction: "Allow", bypass: "AzureServices" },
      tags,
    },
    { ...opts, ...keepsData(protect) },
  );
