import { cluster } from "../support/node-pools";
import { resourceRule } from "../support/rule";

export const clusterNetworkPolicy = resourceRule({
  name: "cluster-network-policy",
  description: "Clusters enforce network policies; without an engine those of Triton are only text.",
  enforcementLevel: "mandatory",
  severity: "high",
  remediationSteps: "Set networkProfile.networkPolicy: cilium (with networkDataplane: cilium).",
  on: cluster,
  check: ({ inputs }) => {
    inputs.mustBe("networkProfile.networkPolicy", "cilium", "azure", "calico");
  },
});
