import * as k8s from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import type { StackConfig } from "../../config";

export interface TritonAutoscalerArgs {
  readonly namespace: pulumi.Input<string>;
  /** The Deployment to scale. It must not set `replicas` itself. */
  readonly deploymentName: pulumi.Input<string>;
  readonly config: StackConfig["autoscaling"];
}

/** Scales Triton by the use of CPU, and of memory if asked. It owns the number of replicas; nothing else sets it. */
export class TritonAutoscaler extends pulumi.ComponentResource {
  constructor(name: string, args: TritonAutoscalerArgs, opts?: pulumi.ComponentResourceOptions) {
    super("triton-azure:index:TritonAutoscaler", name, {}, opts);
    const { namespace, deploymentName, config } = args;
    const autoscaler = new k8s.autoscaling.v2.HorizontalPodAutoscaler(
      `${name}-hpa`,
      {
        metadata: { name: deploymentName, namespace },
        spec: {
          scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: deploymentName },
          minReplicas: config.min,
          maxReplicas: config.max,
          metrics: [
            utilization("cpu", config.cpuPercent),
            ...(config.memoryPercent === undefined ? [] : [utilization("memory", config.memoryPercent)]),
          ],
          behavior: behavior(config.scaleDownWindowSeconds),
        },
      },
      { parent: this },
    );
    this.registerOutputs({ name: autoscaler.metadata.name });
  }
}

const utilization = (resource: "cpu" | "memory", percent: number) => ({
  type: "Resource",
  resource: { name: resource, target: { type: "Utilization", averageUtilization: percent } },
});

/** A replica takes minutes to come back: up at once, down after a lull and one at a time. */
const behavior = (scaleDownWindowSeconds: number) => ({
  scaleUp: { stabilizationWindowSeconds: 0 },
  scaleDown: {
    stabilizationWindowSeconds: scaleDownWindowSeconds,
    policies: [{ type: "Pods", value: 1, periodSeconds: 60 }],
  },
});
