import { cluster } from "../support/node-pools";
import { resourceRule } from "../support/rule";

export const clusterOneInlinePool = resourceRule({
  name: "cluster-one-inline-pool",
  description: "A cluster holds its system pool and no other; all other pools are AgentPool resources.",
  enforcementLevel: "mandatory",
  severity: "medium",
  remediationSteps:
    "Keep one pool of mode System in agentPoolProfiles and ignore changes of its count only, as agentPoolProfiles[0].count.",
  on: cluster,
  check: ({ inputs, opts, report }) => {
    inputs.must("agentPoolProfiles", (pools) => Array.isArray(pools) && pools.length === 1, "must hold one pool");
    for (const pool of inputs.items("agentPoolProfiles")) pool.mustBe("mode", "System");
    if (opts.ignoreChanges.some((path) => /^agentPoolProfiles(\[\*\])?$/.test(path))) {
      report(
        "ignoreChanges holds agentPoolProfiles: the next update would send pools that are gone; name the count only",
      );
    }
  },
});
