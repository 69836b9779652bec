import { resourceRule } from "../support/rule";
import { azure } from "../support/types";

const linked = ["storageAccount", "keyVault", "applicationInsights", "containerRegistry"] as const;

export const mlWorkspaceLinked = resourceRule({
  name: "ml-workspace-linked",
  description: "Azure ML workspaces name the four resources that they stand on, and an identity with roles on them.",
  enforcementLevel: "mandatory",
  severity: "high",
  remediationSteps:
    `Set ${linked.join(", ")}, identity.type: UserAssigned and primaryUserAssignedIdentity; the service refuses a ` +
    "workspace with gaps, or makes resources of its own.",
  on: azure("machinelearningservices:Workspace"),
  check: ({ inputs }) => {
    for (const link of linked) inputs.mustBeSet(link, "it must be the id of a resource");
    inputs.must(
      "identity.type",
      (type) => typeof type === "string" && /(^|,\s*)UserAssigned$/.test(type),
      "must be UserAssigned, so that its roles are there first",
    );
    inputs.mustBeSet("primaryUserAssignedIdentity", "it must be the id of the identity that has the roles");
  },
});
