import { resourceRule } from "../support/rule";
import { azure } from "../support/types";

/** What cannot be made again from the program alone: data, names with soft-deleted namesakes, and what all else stands on. */
export const statefulProtected = resourceRule({
  name: "stateful-protected",
  description: "What holds data or state cannot be deleted by mistake.",
  enforcementLevel: "mandatory",
  severity: "high",
  remediationSteps: "Set the option protect: true (environment: prod does); to delete one, take it off first.",
  on: azure(
    "containerregistry:Registry",
    "containerservice:ManagedCluster",
    "keyvault:Vault",
    "machinelearningservices:Registry",
    "machinelearningservices:Workspace",
    "storage:BlobContainer",
    "storage:StorageAccount",
  ),
  check: ({ opts, report }) => {
    if (!opts.protect) report("the option protect is not set; it must be true");
  },
});
