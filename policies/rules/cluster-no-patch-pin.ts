import { isPatchPin } from "../../core/kubernetes-versions";
import { cluster } from "../support/node-pools";
import { resourceRule } from "../support/rule";

export const clusterNoPatchPin = resourceRule({
  name: "cluster-no-patch-pin",
  description:
    "Clusters name a minor version of Kubernetes and leave the patch to AKS; pinned patches go out of support.",
  enforcementLevel: "advisory",
  severity: "low",
  remediationSteps: "Set cluster.kubernetesVersion to a minor version, such as 1.36.",
  on: cluster,
  check: ({ inputs }) => {
    inputs.must(
      "kubernetesVersion",
      (version) => !isPatchPin(String(version)),
      "must be a minor version, without patch",
    );
  },
});
