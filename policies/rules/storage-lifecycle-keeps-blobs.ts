import { resourceRule } from "../support/rule";
import { azure } from "../support/types";

export const storageLifecycleKeepsBlobs = resourceRule({
  name: "storage-lifecycle-keeps-blobs",
  description:
    "Lifecycle rules act on versions and snapshots only: by age alone they would delete the serving release.",
  enforcementLevel: "mandatory",
  severity: "critical",
  remediationSteps: "Remove actions.baseBlob from the lifecycle rules; releases are deleted by pruning them.",
  on: azure("storage:ManagementPolicy"),
  check: ({ inputs }) => {
    inputs.must("policy.rules", Array.isArray, "must list the rules");
    for (const rule of inputs.items("policy.rules")) {
      if (!rule.has("definition.actions"))
        rule.report("definition.actions", "is missing; it must act on version or snapshot");
      const action = rule.read("definition.actions.baseBlob");
      if (action.is === "unknown") rule.defer("definition.actions.baseBlob");
      if (action.is === "present")
        rule.report("definition.actions.baseBlob", "acts on the blobs themselves; remove it");
    }
  },
});
