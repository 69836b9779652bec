import { cluster } from "../support/node-pools";
import { resourceRule } from "../support/rule";

export const clusterEntraRbac = resourceRule({
  name: "cluster-entra-rbac",
  description: "Entra decides who may do what in a cluster, by Azure role assignments.",
  enforcementLevel: "mandatory",
  severity: "high",
  remediationSteps: "Set aadProfile.managed and aadProfile.enableAzureRBAC to true and leave enableRBAC on.",
  on: cluster,
  check: ({ inputs }) => {
    inputs.mustBe("aadProfile.managed", true);
    inputs.mustBe("aadProfile.enableAzureRBAC", true);
    inputs.mayOnly("enableRBAC", (enabled) => enabled === true, "must be true");
  },
});
