import { resourceRule } from "../support/rule";
import { azure } from "../support/types";

export const storageNoPublicBlobs = resourceRule({
  name: "storage-no-public-blobs",
  description: "Nobody reads blobs without signing in.",
  enforcementLevel: "mandatory",
  severity: "critical",
  remediationSteps: "Set allowBlobPublicAccess: false on the storage account and publicAccess: None on its containers.",
  on: azure("storage:StorageAccount", "storage:BlobContainer"),
  check: ({ type, inputs }) => {
    if (azure("storage:StorageAccount")(type)) inputs.mustBe("allowBlobPublicAccess", false);
    // A container without the setting has none of its own to give away.
    else inputs.mayOnly("publicAccess", (access) => access === "None", "must be None");
  },
});
