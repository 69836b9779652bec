import { resourceRule } from "../support/rule";
import { azure } from "../support/types";

const audience = "api://AzureADTokenExchange";

/** Entra compares subjects character by character; a typing error shows only when a pod asks for a token. */
export const federatedSubjectsExact = resourceRule({
  name: "federated-subjects-exact",
  description: "A federated credential is for one service account, whose tokens are for Entra.",
  enforcementLevel: "mandatory",
  severity: "high",
  remediationSteps: `Set subject: system:serviceaccount:<namespace>:<name> and audiences: [${audience}].`,
  on: azure("managedidentity:FederatedIdentityCredential"),
  check: ({ inputs }) => {
    inputs.must(
      "subject",
      (subject) => typeof subject === "string" && /^system:serviceaccount:[a-z0-9-]+:[a-z0-9.-]+$/.test(subject),
      "must be system:serviceaccount:<namespace>:<name>",
    );
    inputs.must(
      "audiences",
      (audiences) => Array.isArray(audiences) && audiences.length === 1 && audiences[0] === audience,
      `must be [${audience}]`,
    );
    inputs.mustBeSet("issuer", "it must be the OIDC issuer of the cluster");
  },
});
