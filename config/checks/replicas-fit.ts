import { maxReplicas, replicaNeeds, replicaSlots, replicasOnNode, resolvePool } from "../resolve";
import type { Problem } from "../problem";
import { check } from "./check";

/** Replicas that no node can hold stay pending for ever, and a roll-out without room takes a replica away first. */
export const replicasFit = check(["environment", "gpuPools", "cluster", "triton", "autoscaling"], (values) => {
  const { environment, cluster, triton, autoscaling } = values;
  const needs = replicaNeeds(triton);
  const pools = values.gpuPools.map((pool) => resolvePool(pool, environment));
  const slots = replicaSlots(pools, needs, cluster);
  const most = maxReplicas(autoscaling, environment);
  const { gpus, gpuResource, cpu, memory } = triton.resources;

  if (pools.every((pool) => replicasOnNode(pool, needs, cluster) < 1)) {
    const message = `no GPU pool has a node for one replica (${gpus} ${gpuResource}, ${cpu} CPU, ${memory}); ask for less or choose a larger vmSize`;
    return [{ key: "triton.resources", message }];
  }
  if (slots < most) {
    return [
      {
        key: "autoscaling.max",
        message: `${most} replicas, but the GPU pools hold ${slots} at most; raise gpuPools[].max or lower this`,
      },
    ];
  }
  const problems: Problem[] = [];
  if (slots === most && most > 1 && environment === "prod") {
    problems.push({
      key: "gpuPools",
      message: `the pools hold ${slots} replicas, as many as autoscaling.max: a roll-out at full load takes a replica away first; one node more avoids that`,
      severity: "warning",
    });
  }
  if (slots === 1) {
    problems.push({
      key: "gpuPools",
      message: "there is room for one replica only: each roll-out is an outage",
      severity: "warning",
    });
  }
  return problems;
});
