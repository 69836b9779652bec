import { formatTaint, gpuNodeLabel, gpuPoolLabelKey, gpuTaint } from "../../core/gpu-pool";
import { isFields } from "../support/inputs";
import { gpuPoolsOf, nodePools } from "../support/node-pools";
import { resourceRule } from "../support/rule";

const taint = formatTaint(gpuTaint);
const labels: readonly [string, string][] = Object.entries(gpuNodeLabel);

/** Only what the pool itself says counts: the autoscaler knows nothing else about a pool of zero nodes. */
export const gpuPoolTainted = resourceRule({
  name: "gpu-pool-tainted",
  description: "GPU pools are tainted, labelled and user pools, so that they hold GPU pods and those find them.",
  enforcementLevel: "mandatory",
  severity: "high",
  remediationSteps: `Give the pool mode: User, the taint ${taint} and the labels of core/gpu-pool.ts.`,
  on: nodePools,
  check: (resource) => {
    for (const pool of gpuPoolsOf(resource)) {
      pool.mustBe("mode", "User");
      pool.must("nodeTaints", (taints) => Array.isArray(taints) && taints.includes(taint), `must hold ${taint}`);
      for (const [key, value] of labels) {
        pool.must("nodeLabels", (all) => isFields(all) && all[key] === value, `must hold ${key}: ${value}`);
      }
      pool.must("nodeLabels", (all) => isFields(all) && key(all) !== undefined, `must hold ${gpuPoolLabelKey}`);
    }
  },
});

const key = (labels: Record<string, unknown>): unknown => labels[gpuPoolLabelKey];
