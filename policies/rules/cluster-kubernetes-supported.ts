import { kubernetesSupport, supportedKubernetesVersions } from "../../core/kubernetes-versions";
import type { Inputs } from "../support/inputs";
import { cluster, nodePools } from "../support/node-pools";
import { resourceRule } from "../support/rule";

const supported = supportedKubernetesVersions.join(" or ");

export const clusterKubernetesSupported = resourceRule({
  name: "cluster-kubernetes-supported",
  description: "Clusters and pools run a Kubernetes version that AKS supports.",
  enforcementLevel: "mandatory",
  severity: "high",
  remediationSteps:
    `Use ${supported}. Long-term support takes sku.tier: Premium and supportPlan: AKSLongTermSupport. When AKS has ` +
    "moved on, update core/kubernetes-versions.ts.",
  on: nodePools,
  check: ({ type, inputs }) => {
    if (cluster(type)) {
      const longTerm = inputs.read("supportPlan");
      const tier = inputs.read("sku.tier");
      const hasLongTerm =
        longTerm.is === "present" &&
        longTerm.value === "AKSLongTermSupport" &&
        tier.is === "present" &&
        tier.value === "Premium";
      inputs.must("kubernetesVersion", (version) => isSupported(version, hasLongTerm), rule);
      for (const pool of inputs.items("agentPoolProfiles")) checkPool(pool);
    } else {
      checkPool(inputs);
    }
  },
});

const rule = `must be a supported version, ${supported}`;

/** A pool without a version of its own follows its cluster; whether that has long-term support a pool cannot tell. */
function checkPool(pool: Inputs): void {
  pool.mayOnly("orchestratorVersion", (version) => isSupported(version, true), rule);
}

function isSupported(version: unknown, hasLongTerm: boolean): boolean {
  const { status } = kubernetesSupport(String(version));
  return status === "supported" || (status === "lts-only" && hasLongTerm);
}
