import { agentPool, cluster, gpuPoolsOf, gpusPerNode, mostNodes } from "../support/node-pools";
import { stackRule } from "../support/rule";
import { anyOf } from "../support/types";

export const gpuTotalCap = stackRule<{ maxGpus: number }>({
  name: "gpu-total-cap",
  description: "All GPU pools of the stack at their largest stay within its GPU budget.",
  enforcementLevel: "mandatory",
  severity: "high",
  remediationSteps: "Lower gpuPools[].max in the stack, or raise maxGpus in the settings of the policies.",
  configSchema: {
    properties: {
      maxGpus: { type: "integer", minimum: 1, default: 2, description: "Most GPUs of the whole stack." },
    },
  },
  check: (stack) => {
    const pools = stack.all(anyOf(agentPool, cluster)).flatMap(gpuPoolsOf);
    // A pool without a limit is what gpu-pool-cap reports.
    const total = pools.reduce((sum, pool) => sum + gpusPerNode(pool) * (mostNodes(pool) ?? 0), 0);
    const { maxGpus } = stack.config;
    if (total > maxGpus) stack.report(`the GPU pools can grow to ${total} GPUs; the budget is ${maxGpus}`);
  },
});
