import type { Problem } from "../problem";
import { check } from "./check";

/** Deadlines below these fail roll-outs that would have gone well; measured times on AKS are 5 to 11 minutes for a GPU node. */
const least = { nodeSeconds: 300, pullSeconds: 120, propagationSeconds: 300 } as const;

/** What may be right for a test, but not where people depend on the service. */
export const production = check(["environment", "cluster", "access", "triton", "gpuPools"], (values) => {
  const { environment, cluster, access, triton, gpuPools } = values;
  if (environment !== "prod") return [];
  const problems: Problem[] = [];
  for (const [name, seconds] of Object.entries(least)) {
    const given = triton.startup[name as keyof typeof least];
    if (given < seconds) {
      problems.push({
        key: `triton.startup.${name}`,
        message: `${given} s is too short for prod; allow ${seconds} s or more`,
      });
    }
  }
  if (access.propagationSeconds < 60) {
    problems.push({
      key: "access.propagationSeconds",
      message: `${access.propagationSeconds} s is too short for prod; allow 60 s or more`,
    });
  }
  if (cluster.tier === "Free") {
    problems.push({ key: "cluster.tier", message: "Free has no uptime agreement; use Standard in prod" });
  }
  if (gpuPools.every(({ spot }) => spot)) {
    problems.push({
      key: "gpuPools",
      message: "all pools are spot: an eviction wave stops the service; add one that is not",
      severity: "warning",
    });
  }
  return problems;
});
