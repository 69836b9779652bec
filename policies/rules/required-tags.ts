import { isFields } from "../support/inputs";
import { resourceRule } from "../support/rule";
import { azureClass } from "../support/types";

/** Classes of azure-native that have no tags of their own. All others must be tagged, so that a new class is not forgotten. */
export const untaggable: ReadonlySet<string> = new Set([
  "authorization:RoleAssignment",
  "cdn:AFDOrigin",
  "cdn:AFDOriginGroup",
  "cdn:Route",
  "cdn:SecurityPolicy",
  "containerservice:MaintenanceConfiguration",
  "kubernetesconfiguration:Extension",
  "kubernetesconfiguration:FluxConfiguration",
  "machinelearningservices:Datastore",
  "machinelearningservices:ModelContainer",
  "machinelearningservices:ModelVersion",
  "machinelearningservices:WorkspaceConnection",
  "managedidentity:FederatedIdentityCredential",
  "monitor:DataCollectionRuleAssociation",
  "monitor:DiagnosticSetting",
  "network:PrivateDnsZoneGroup",
  "network:SecurityRule",
  "network:Subnet",
  "privatedns:PrivateRecordSet",
  "storage:Blob",
  "storage:BlobContainer",
  "storage:BlobServiceProperties",
  "storage:ManagementPolicy",
  "trafficmanager:Endpoint",
]);

export const requiredTags = resourceRule<{ tags: readonly string[] }>({
  name: "required-tags",
  description: "Azure resources carry the tags that tell what they belong to.",
  enforcementLevel: "mandatory",
  severity: "low",
  remediationSteps: "Pass the tags of the stack on to the resource.",
  configSchema: {
    properties: {
      tags: {
        type: "array",
        items: { type: "string" },
        default: ["project", "stack", "environment", "managed-by"],
        description: "Tags that every resource must have.",
      },
    },
  },
  on: (type) => {
    const name = azureClass(type);
    return name !== undefined && !untaggable.has(name);
  },
  check: ({ inputs, config }) => {
    const missing = (tags: unknown) => config.tags.filter((name) => !isFields(tags) || isEmpty(tags[name]));
    const found = inputs.read("tags");
    const names = missing(found.is === "present" ? found.value : undefined).join(", ");
    inputs.must("tags", (tags) => missing(tags).length === 0, `must hold ${names}`);
  },
});

const isEmpty = (value: unknown): boolean => value === undefined || value === null || value === "";
