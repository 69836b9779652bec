import { cluster } from "../support/node-pools";
import { resourceRule } from "../support/rule";

export const clusterWorkloadIdentity = resourceRule({
  name: "cluster-workload-identity",
  description: "Clusters issue OIDC tokens and project them into pods, so that pods need no keys.",
  enforcementLevel: "mandatory",
  severity: "high",
  remediationSteps: "Set oidcIssuerProfile.enabled and securityProfile.workloadIdentity.enabled to true.",
  on: cluster,
  check: ({ inputs }) => {
    inputs.mustBe("oidcIssuerProfile.enabled", true);
    inputs.mustBe("securityProfile.workloadIdentity.enabled", true);
  },
});
