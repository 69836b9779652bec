import { parse } from "yaml";
import { isFields, type Inputs } from "../support/inputs";
import { agentPool, gpuPoolsOf, gpuSlicesPerNode, mostNodes } from "../support/node-pools";
import { type Stack, stackRule, type StackResource } from "../support/rule";
import { tritonValues } from "../support/triton";
import { helmRelease, kubernetes } from "../support/types";

/**
 * A roll-out that surges waits for a GPU that the old pods hold, for ever, when the pools cannot grow. Counts GPUs only:
 * whether CPU and memory suffice is checked with the configuration.
 */
export const tritonRolloutRoom = stackRule({
  name: "triton-rollout-room",
  description: "A roll-out of Triton never waits for a GPU that its own old pods hold.",
  enforcementLevel: "mandatory",
  severity: "high",
  remediationSteps:
    "Raise the maximum of the GPU pools above the replicas, or set rollout.maxSurge: 0 and rollout.maxUnavailable: 1.",
  check: (stack) => {
    stack.each(helmRelease, (release) => {
      const values = tritonValues(release);
      if (values) checkRelease(stack, release, values);
    });
  },
});

function checkRelease(stack: Stack, release: StackResource, values: Inputs): void {
  const gpus = Number(values.get("gpus") ?? 1);
  const surge = Number(values.get("rollout.maxSurge") ?? 1);
  const unavailable = Number(values.get("rollout.maxUnavailable") ?? 0);
  if (gpus === 0 || unavailable > 0) return;
  const pools = stack
    .all(agentPool)
    .filter((pool) => release.dependsOn(pool))
    .flatMap(gpuPoolsOf);
  if (pools.length === 0) {
    release.report("depends on no GPU pool, so that it may start, or be deleted, without one; add dependsOn");
    return;
  }
  const shared = podsPerSlice(stack, release);
  const fit = pools.reduce(
    (sum, pool) => sum + Math.floor((gpuSlicesPerNode(pool) * shared) / gpus) * (mostNodes(pool) ?? 0),
    0,
  );
  const replicas = mostReplicas(stack, release, values);
  if (replicas + surge <= fit) return;
  release.report(
    `${replicas} replicas and ${surge} more during a roll-out do not fit the GPU pools, which hold ${fit} at most, and none may be missing`,
  );
}

function mostReplicas(stack: Stack, release: StackResource, values: Inputs): number {
  const outside = stack
    .all(kubernetes("HorizontalPodAutoscaler"))
    .filter((autoscaler) => autoscaler.dependsOn(release))
    .map((autoscaler) => Number(autoscaler.inputs.get("spec.maxReplicas") ?? 1));
  if (outside.length > 0) return Math.max(...outside);
  if (values.get("scaledExternally") === true) return 1;
  const own = values.get("autoscaling.enabled") === true ? "autoscaling.maxReplicas" : "replicaCount";
  return Number(values.get(own) ?? 1);
}

/** Pods that share a GPU by time slices, as the configuration of the device plugin says that the release waits for. */
function podsPerSlice(stack: Stack, release: StackResource): number {
  const texts = stack
    .all(kubernetes("ConfigMap"))
    .filter((configMap) => release.dependsOn(configMap))
    .flatMap((configMap) => Object.values((configMap.inputs.get("data") as Record<string, unknown> | undefined) ?? {}));
  const replicas = texts.flatMap((text) => timeSlices(text));
  return Math.max(1, ...replicas);
}

function timeSlices(text: unknown): number[] {
  if (typeof text !== "string" || !text.includes("timeSlicing")) return [];
  const config: unknown = parse(text);
  const sharing = isFields(config) && isFields(config["sharing"]) ? config["sharing"]["timeSlicing"] : undefined;
  const resources: unknown = isFields(sharing) ? sharing["resources"] : undefined;
  if (!Array.isArray(resources)) return [];
  return resources
    .map((resource: unknown) => (isFields(resource) ? Number(resource["replicas"]) : 1))
    .filter((n) => n >= 1);
}
