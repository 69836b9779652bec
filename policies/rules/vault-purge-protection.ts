import { resourceRule } from "../support/rule";
import { azure } from "../support/types";

/** Off in dev by the settings: a purge-protected vault blocks its name for weeks after a destroy. */
export const vaultPurgeProtection = resourceRule({
  name: "vault-purge-protection",
  description: "Nobody can purge a deleted key vault before its retention ends.",
  enforcementLevel: "mandatory",
  severity: "high",
  remediationSteps: "Set properties.enablePurgeProtection: true (environment: prod does). It cannot be taken back.",
  on: azure("keyvault:Vault"),
  check: ({ inputs }) => {
    inputs.mustBe("properties.enablePurgeProtection", true);
  },
});
