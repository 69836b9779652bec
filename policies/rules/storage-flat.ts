import { resourceRule } from "../support/rule";
import { azure } from "../support/types";

export const storageFlat = resourceRule({
  name: "storage-flat",
  description: "Storage accounts are flat, general purpose and standard, as Azure ML and blob versioning need them.",
  enforcementLevel: "mandatory",
  severity: "medium",
  remediationSteps: "Use kind: StorageV2 and a Standard SKU, and leave isHnsEnabled off.",
  on: azure("storage:StorageAccount"),
  check: ({ inputs }) => {
    inputs.mustBe("kind", "StorageV2");
    inputs.must("sku.name", (sku) => typeof sku === "string" && /^Standard_/i.test(sku), "must be a Standard SKU");
    inputs.mayOnly("isHnsEnabled", (enabled) => enabled === false, "must be false: Azure ML cannot use the account");
  },
});
