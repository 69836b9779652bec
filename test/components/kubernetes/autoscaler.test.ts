import { describe, expect, it } from "vitest";
import { input } from "../../support/engine";
import { helmReleaseOf, runTriton } from "./triton-fixture";

const hpa = async (keys: Record<string, unknown> = {}) => (await runTriton(keys)).one("HorizontalPodAutoscaler");

describe("TritonAutoscaler", () => {
  it("scales the Deployment of the release, between the bounds, by CPU", async () => {
    expect(
      (await hpa({ autoscaling: { min: 2, max: 5, cpuPercent: 60 }, gpuPools: [{ name: "t4", max: 6 }] })).inputs,
    ).toMatchObject({
      metadata: { name: "triton", namespace: "triton" },
      spec: {
        scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "triton" },
        minReplicas: 2,
        maxReplicas: 5,
        metrics: [
          { type: "Resource", resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 60 } } },
        ],
      },
    });
  });

  it("minds memory when asked", async () => {
    const metrics = input<{ resource: { name: string; target: object } }[]>(
      await hpa({ autoscaling: { memoryPercent: 80 } }),
      "spec.metrics",
    );
    expect(metrics.map(({ resource }) => resource.name)).toEqual(["cpu", "memory"]);
    expect(metrics[1]?.resource.target).toEqual({ type: "Utilization", averageUtilization: 80 });
  });

  it("K8: takes replicas away after a lull no shorter than a new one takes to load, and one at a time", async () => {
    const slow = { startup: { perModelSeconds: 450 } };
    const { scaleDown, scaleUp } = input<{ scaleDown: { stabilizationWindowSeconds: number }; scaleUp: object }>(
      await hpa({ triton: slow }),
      "spec.behavior",
    );
    expect(scaleDown.stabilizationWindowSeconds).toBeGreaterThanOrEqual(900);
    expect(scaleDown).toMatchObject({ policies: [{ type: "Pods", value: 1, periodSeconds: 60 }] });
    expect(scaleUp).toEqual({ stabilizationWindowSeconds: 0 });
  });

  it("comes after the release, and uses its cluster", async () => {
    const run = await runTriton();
    const autoscaler = run.one("HorizontalPodAutoscaler");
    expect(autoscaler.dependencies).toContain(helmReleaseOf(run).urn);
    expect(autoscaler.provider).toBe(helmReleaseOf(run).provider);
    expect(autoscaler.parent).toBe(run.one("triton-azure:index:TritonAutoscaler").urn);
  });

  it("is known as a whole in a preview", async () => {
    const run = await runTriton({}, { dryRun: true });
    expect(JSON.stringify(run.one("HorizontalPodAutoscaler").inputs)).not.toContain("unknown");
  });
});
