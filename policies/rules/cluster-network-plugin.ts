import { cluster } from "../support/node-pools";
import { resourceRule } from "../support/rule";

export const clusterNetworkPlugin = resourceRule({
  name: "cluster-network-plugin",
  description: "Clusters use Azure CNI, not kubenet, which Azure retires on 31 March 2028.",
  enforcementLevel: "mandatory",
  severity: "medium",
  remediationSteps: "Set networkProfile.networkPlugin: azure and networkPluginMode: overlay.",
  on: cluster,
  check: ({ inputs }) => {
    inputs.mustBe("networkProfile.networkPlugin", "azure");
  },
});
