import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { rolloutFor } from "../../core/rollout";
import { loadSeconds, rolloutDeadlineSeconds, scaleDownWindowSeconds, startupBudgetSeconds } from "../../core/startup";

const times = { nodeSeconds: 600, pullSeconds: 480, propagationSeconds: 600, downloadMiBps: 40, perModelSeconds: 30 };
const model = { name: "m", versions: [1], backend: "python", tags: {} };

describe("roll-outs", () => {
  it("K5: a lone GPU lets the old pod go first, a spare one lets the new pod come first", () => {
    expect(rolloutFor(1, 1)).toEqual({ maxSurge: 0, maxUnavailable: 1, waves: 1 });
    expect(rolloutFor(1, 2)).toEqual({ maxSurge: 1, maxUnavailable: 0, waves: 1 });
  });

  it("never need more pods than the pools hold, always move, and end", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 200 }), fc.integer({ min: 0, max: 100 }), (replicas, spare) => {
        const { maxSurge, maxUnavailable, waves } = rolloutFor(replicas, replicas + spare);
        expect(replicas + maxSurge).toBeLessThanOrEqual(replicas + spare);
        expect(maxSurge + maxUnavailable).toBeGreaterThan(0);
        expect(waves * (maxSurge + maxUnavailable)).toBeGreaterThanOrEqual(replicas);
      }),
    );
  });

  it("get longer than Kubernetes' default deadline, which is less than a node and an image", () => {
    expect(rolloutDeadlineSeconds(700, 3, times)).toBe((600 + 480 + 700) * 3);
    const warm = { ...times, nodeSeconds: 0, pullSeconds: 0 };
    expect(rolloutDeadlineSeconds(30, 2, warm)).toBe(60 * 2);
  });
});

describe("start-up", () => {
  it("T9: takes as long as copying all bytes one after another and initialising each model", () => {
    expect(loadSeconds({ sizeBytes: 400 * 2 ** 20, models: [model, model] }, times)).toBe(10 + 60);
  });

  it("is allowed the propagation of rights on top of loading", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 2 ** 40 }), (sizeBytes) => {
        const release = { sizeBytes, models: [model] };
        expect(startupBudgetSeconds(release, times)).toBe(loadSeconds(release, times) + times.propagationSeconds);
        const nothing = { ...times, propagationSeconds: 0, downloadMiBps: 1e9, perModelSeconds: 0 };
        expect(startupBudgetSeconds(release, nothing)).toBe(10);
      }),
    );
  });

  it("K8: a lull must last as long as a new replica takes to load before one is taken away", () => {
    expect(scaleDownWindowSeconds(20)).toBe(300);
    expect(scaleDownWindowSeconds(900)).toBe(900);
  });
});
