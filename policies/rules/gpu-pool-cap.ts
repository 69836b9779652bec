import type { Inputs } from "../support/inputs";
import { gpuPoolsOf, nodePools } from "../support/node-pools";
import { resourceRule } from "../support/rule";

export const gpuPoolCap = resourceRule<{ maxNodes: number }>({
  name: "gpu-pool-cap",
  description: "Each GPU pool has an upper limit of nodes, and a sensible one.",
  enforcementLevel: "mandatory",
  severity: "high",
  remediationSteps: "Lower gpuPools[].max (or count) in the stack, or raise maxNodes in the settings of the policies.",
  configSchema: {
    properties: {
      maxNodes: { type: "integer", minimum: 1, default: 2, description: "Most nodes that a GPU pool may have." },
    },
  },
  on: nodePools,
  check: (resource) => {
    for (const pool of gpuPoolsOf(resource)) checkLimit(pool, resource.config.maxNodes);
  },
});

function checkLimit(pool: Inputs, maxNodes: number): void {
  const limit = pool.get("enableAutoScaling") === true ? "maxCount" : "count";
  pool.must(limit, (count) => typeof count === "number" && count <= maxNodes, `must be ${maxNodes} or less`);
}
