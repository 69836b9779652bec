import { createHash } from "node:crypto";
import { type Properties } from "./values";

/** Ids that belong to nobody: a caller of a real subscription never sees them. */
export const placeholderIds = {
  subscriptionId: "00000000-0000-0000-0000-000000000000",
  tenantId: "00000000-0000-0000-0000-000000000001",
  clientId: "00000000-0000-0000-0000-000000000002",
  objectId: "00000000-0000-0000-0000-000000000003",
} as const;

const inGroup = "/subscriptions/{subscription}/resourceGroups/{resourceGroupName}/providers/";

/**
 * Where Azure Resource Manager keeps what a class of azure-native makes, below the resource group unless the template
 * starts with a slash or a scope. A name in braces is an input; the last one is the resource's own name, which
 * azure-native makes up when it is left out.
 */
const templates: Record<string, string> = {
  "resources:ResourceGroup": "/subscriptions/{subscription}/resourceGroups/{resourceGroupName}",
  "storage:StorageAccount": "Microsoft.Storage/storageAccounts/{accountName}",
  "storage:BlobContainer":
    "Microsoft.Storage/storageAccounts/{accountName}/blobServices/default/containers/{containerName}",
  "storage:BlobServiceProperties": "Microsoft.Storage/storageAccounts/{accountName}/blobServices/{blobServicesName}",
  "storage:ManagementPolicy":
    "Microsoft.Storage/storageAccounts/{accountName}/managementPolicies/{managementPolicyName}",
  "keyvault:Vault": "Microsoft.KeyVault/vaults/{vaultName}",
  "keyvault:Secret": "Microsoft.KeyVault/vaults/{vaultName}/secrets/{secretName}",
  "applicationinsights:Component": "Microsoft.Insights/components/{resourceName}",
  "operationalinsights:Workspace": "Microsoft.OperationalInsights/workspaces/{workspaceName}",
  "containerregistry:Registry": "Microsoft.ContainerRegistry/registries/{registryName}",
  "machinelearningservices:Workspace": "Microsoft.MachineLearningServices/workspaces/{workspaceName}",
  "machinelearningservices:Datastore": "Microsoft.MachineLearningServices/workspaces/{workspaceName}/datastores/{name}",
  "machinelearningservices:WorkspaceConnection":
    "Microsoft.MachineLearningServices/workspaces/{workspaceName}/connections/{connectionName}",
  "machinelearningservices:Registry": "Microsoft.MachineLearningServices/registries/{registryName}",
  "machinelearningservices:Compute":
    "Microsoft.MachineLearningServices/workspaces/{workspaceName}/computes/{computeName}",
  "machinelearningservices:ModelContainer":
    "Microsoft.MachineLearningServices/workspaces/{workspaceName}/models/{name}",
  "machinelearningservices:ModelVersion":
    "Microsoft.MachineLearningServices/workspaces/{workspaceName}/models/{name}/versions/{version}",
  "machinelearningservices:OnlineEndpoint":
    "Microsoft.MachineLearningServices/workspaces/{workspaceName}/onlineEndpoints/{endpointName}",
  "machinelearningservices:OnlineDeployment":
    "Microsoft.MachineLearningServices/workspaces/{workspaceName}/onlineEndpoints/{endpointName}/deployments/{deploymentName}",
  "containerservice:ManagedCluster": "Microsoft.ContainerService/managedClusters/{resourceName}",
  "containerservice:AgentPool": "Microsoft.ContainerService/managedClusters/{resourceName}/agentPools/{agentPoolName}",
  "containerservice:MaintenanceConfiguration":
    "Microsoft.ContainerService/managedClusters/{resourceName}/maintenanceConfigurations/{configName}",
  "managedidentity:UserAssignedIdentity": "Microsoft.ManagedIdentity/userAssignedIdentities/{resourceName}",
  "managedidentity:FederatedIdentityCredential":
    "Microsoft.ManagedIdentity/userAssignedIdentities/{resourceName}/federatedIdentityCredentials/{federatedIdentityCredentialResourceName}",
  "authorization:RoleAssignment": "{scope}/providers/Microsoft.Authorization/roleAssignments/{roleAssignmentName}",
  "authorization:ManagementLockByScope": "{scope}/providers/Microsoft.Authorization/locks/{lockName}",
  "monitor:AzureMonitorWorkspace": "Microsoft.Monitor/accounts/{azureMonitorWorkspaceName}",
  "monitor:DataCollectionEndpoint": "Microsoft.Insights/dataCollectionEndpoints/{dataCollectionEndpointName}",
  "monitor:DataCollectionRule": "Microsoft.Insights/dataCollectionRules/{dataCollectionRuleName}",
  "monitor:DataCollectionRuleAssociation":
    "{resourceUri}/providers/Microsoft.Insights/dataCollectionRuleAssociations/{associationName}",
  "monitor:DiagnosticSetting": "{resourceUri}/providers/Microsoft.Insights/diagnosticSettings/{name}",
  "monitor:ActionGroup": "Microsoft.Insights/actionGroups/{actionGroupName}",
  "monitor:MetricAlert": "Microsoft.Insights/metricAlerts/{ruleName}",
  "alertsmanagement:PrometheusRuleGroup": "Microsoft.AlertsManagement/prometheusRuleGroups/{ruleGroupName}",
  "dashboard:Grafana": "Microsoft.Dashboard/grafana/{workspaceName}",
  "network:VirtualNetwork": "Microsoft.Network/virtualNetworks/{virtualNetworkName}",
  "network:Subnet": "Microsoft.Network/virtualNetworks/{virtualNetworkName}/subnets/{subnetName}",
  "network:PrivateEndpoint": "Microsoft.Network/privateEndpoints/{privateEndpointName}",
  "network:PrivateDnsZoneGroup":
    "Microsoft.Network/privateEndpoints/{privateEndpointName}/privateDnsZoneGroups/{privateDnsZoneGroupName}",
  "network:NatGateway": "Microsoft.Network/natGateways/{natGatewayName}",
  "network:PublicIPAddress": "Microsoft.Network/publicIPAddresses/{publicIpAddressName}",
  "network:NetworkSecurityGroup": "Microsoft.Network/networkSecurityGroups/{networkSecurityGroupName}",
  "privatedns:PrivateZone": "Microsoft.Network/privateDnsZones/{privateZoneName}",
  "privatedns:VirtualNetworkLink":
    "Microsoft.Network/privateDnsZones/{privateZoneName}/virtualNetworkLinks/{virtualNetworkLinkName}",
  "cdn:Profile": "Microsoft.Cdn/profiles/{profileName}",
  "cdn:AFDEndpoint": "Microsoft.Cdn/profiles/{profileName}/afdEndpoints/{endpointName}",
  "cdn:AFDOriginGroup": "Microsoft.Cdn/profiles/{profileName}/originGroups/{originGroupName}",
  "cdn:AFDOrigin": "Microsoft.Cdn/profiles/{profileName}/originGroups/{originGroupName}/origins/{originName}",
  "cdn:Route": "Microsoft.Cdn/profiles/{profileName}/afdEndpoints/{endpointName}/routes/{routeName}",
  "cdn:SecurityPolicy": "Microsoft.Cdn/profiles/{profileName}/securityPolicies/{securityPolicyName}",
  "frontdoor:Policy": "Microsoft.Network/frontDoorWebApplicationFirewallPolicies/{policyName}",
  "trafficmanager:Profile": "Microsoft.Network/trafficManagerProfiles/{profileName}",
  "trafficmanager:Endpoint": "Microsoft.Network/trafficManagerProfiles/{profileName}/externalEndpoints/{endpointName}",
  "kubernetesconfiguration:Extension":
    "Microsoft.ContainerService/managedClusters/{clusterName}/providers/Microsoft.KubernetesConfiguration/extensions/{extensionName}",
};

/** Hexadecimal digits that are the same in every run: stands for what a provider would pick at random. */
export function digits(seed: string, length: number): string {
  return createHash("sha256").update(seed).digest("hex").slice(0, length);
}

/** A GUID that is the same in every run, and that its zeros tell from a real one. */
export function guid(seed: string): string {
  return `00000000-0000-4000-8000-${digits(seed, 12)}`;
}

/** An Azure resource as its id tells it. */
export interface ArmIdentity {
  id: string;
  /** The last segment of the id: output `name` of the resource. */
  name: string;
  /** Resource provider and type, such as `Microsoft.Storage/storageAccounts`. */
  armType: string;
}

/**
 * The id that Azure Resource Manager gives to a resource of azure-native.
 *
 * @param type token such as `azure-native:storage:StorageAccount`; of a class unknown here the id is made from the token
 * @param inputs plain inputs; the resource group defaults to `resourceGroupName`
 * @param seed what a made-up name depends on besides the logical name
 */
export function armIdentity(type: string, name: string, inputs: Properties, seed: string): ArmIdentity {
  const [, module = "", kind = ""] = type.split(":");
  const template = templates[`${module}:${kind}`] ?? `Unlisted.${module}/${kind}/{name}`;
  const path = /^[/{]/.test(template) ? template : inGroup + template;
  const holes = [...path.matchAll(/{(\w+)}/g)].map(([, hole]) => hole);
  const own = holes.at(-1);
  const filled = path.replace(/{(\w+)}/g, (_, hole: string) => {
    if (hole === "subscription") return placeholderIds.subscriptionId;
    const input = inputs[hole];
    if (typeof input === "string" && input !== "") return input;
    if (hole !== own) return hole;
    return module === "authorization" ? guid(seed) : `${name}${digits(seed, 8)}`;
  });
  const segments = filled.slice(filled.lastIndexOf("/providers/") + "/providers/".length).split("/");
  const types = segments.filter((_, position) => position === 0 || position % 2 === 1);
  return { id: filled, name: filled.slice(filled.lastIndexOf("/") + 1), armType: types.join("/") };
}
