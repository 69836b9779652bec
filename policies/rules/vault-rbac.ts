import { resourceRule } from "../support/rule";
import { azure } from "../support/types";

export const vaultRbac = resourceRule({
  name: "vault-rbac",
  description: "Key vaults grant access by Azure roles, and keep what is deleted for a while.",
  enforcementLevel: "mandatory",
  severity: "high",
  remediationSteps: "Set properties.enableRbacAuthorization: true and leave enableSoftDelete on.",
  on: azure("keyvault:Vault"),
  check: ({ inputs }) => {
    inputs.mustBe("properties.enableRbacAuthorization", true);
    inputs.mayOnly("properties.enableSoftDelete", (enabled) => enabled === true, "must be true");
  },
});
