import { resourceRule } from "../support/rule";
import { azure } from "../support/types";

export const mlIdentityDatastores = resourceRule({
  name: "ml-identity-datastores",
  description: "Azure ML reaches storage by its identity; no datastore keeps a key.",
  enforcementLevel: "mandatory",
  severity: "high",
  remediationSteps:
    "Set systemDatastoresAuthMode: Identity on the workspace, and on datastores credentialsType: None with " +
    "serviceDataAccessAuthIdentity: WorkspaceUserAssignedIdentity.",
  on: azure("machinelearningservices:Workspace", "machinelearningservices:Datastore"),
  check: ({ type, inputs }) => {
    if (azure("machinelearningservices:Workspace")(type)) {
      inputs.must(
        "systemDatastoresAuthMode",
        (mode) => typeof mode === "string" && mode.toLowerCase() === "identity",
        "must be Identity",
      );
      return;
    }
    inputs.mustBe("properties.credentials.credentialsType", "None");
    inputs.mustBe(
      "properties.serviceDataAccessAuthIdentity",
      "WorkspaceUserAssignedIdentity",
      "WorkspaceSystemAssignedIdentity",
    );
  },
});
