import { describe, expect, it } from "vitest";
import { gpuSizes } from "../../core/vm-sizes";
import { gpuDriverProfile } from "../../policies/rules/gpu-driver-profile";
import { gpuPoolCap } from "../../policies/rules/gpu-pool-cap";
import { gpuPoolTainted } from "../../policies/rules/gpu-pool-tainted";
import { gpuSizeListed } from "../../policies/rules/gpu-size-listed";
import { gpuTotalCap } from "../../policies/rules/gpu-total-cap";
import { cluster, gpuPool, userPool } from "./fixtures/azure";
import { type Fixture, verdicts } from "./support/analyzer";
import { promises } from "./support/promises";
import { changed, unknown } from "./support/values";

promises(gpuSizeListed, "pool (A1)", {
  of: gpuPool,
  refuses: [
    {
      path: "vmSize",
      to: "Standard_NC6s_v3",
      saying: /vmSize is Standard_NC6s_v3, retired on 2025-09-30; use Standard_NC4as_T4_v3/,
    },
    { path: "vmSize", to: "Standard_NC6", saying: /vmSize is Standard_NC6, retired on .*; use Standard_/ },
    { path: "vmSize", to: "Standard_NV12_Promo", saying: /Standard_NV12_Promo, retired on/ },
    { path: "vmSize", to: "Standard_NZ9_v9", saying: /it must be a known GPU size/ },
  ],
  needs: [{ path: "vmSize", saying: /vmSize is missing/ }],
  reads: ["vmSize"],
  allows: gpuSizes.map(({ name }) => ({ path: "vmSize", to: name, because: name })),
});

promises(gpuSizeListed, "pool, with sizes named in the settings", {
  of: gpuPool,
  settings: { allowedSizes: ["Standard_NC4as_T4_v3"] },
  refuses: [
    { path: "vmSize", to: "Standard_NC24ads_A100_v4", saying: /it must be one of Standard_NC4as_T4_v3/ },
    { path: "vmSize", to: "Standard_NC6s_v3", saying: /retired/ },
  ],
  allows: [{ path: "vmSize", to: "Standard_D4ds_v5", because: "a size without GPUs" }],
});

promises(gpuSizeListed, "pool inside a cluster", {
  of: cluster,
  refuses: [
    { path: "agentPoolProfiles[0].vmSize", to: "Standard_NC6s_v3", saying: /^agentPoolProfiles\[0\]\.vmSize is/ },
  ],
  reads: ["agentPoolProfiles", "agentPoolProfiles[0].vmSize"],
});

promises(gpuPoolTainted, "GPU pool (A3, A4)", {
  of: gpuPool,
  refuses: [
    { path: "nodeTaints", to: [], saying: /nodeTaints is \[\]; it must hold sku=gpu:NoSchedule/ },
    { path: "nodeTaints", to: ["sku=gpus:NoSchedule"], saying: /it must hold sku=gpu:NoSchedule/ },
    {
      path: ["nodeLabels", "nvidia.com/gpu.present"],
      to: undefined,
      saying: /must hold nvidia\.com\/gpu\.present: true/,
    },
    { path: ["nodeLabels", "nvidia.com/gpu.present"], to: "yes", saying: /must hold nvidia\.com\/gpu\.present: true/ },
    { path: ["nodeLabels", "triton-azure/gpu-pool"], to: undefined, saying: /must hold triton-azure\/gpu-pool/ },
    { path: "mode", to: "System", saying: /mode is System; it must be User/ },
  ].map((refusal) => ({ because: `${String(refusal.path)}: ${String(refusal.to)}`, ...refusal })),
  needs: [
    { path: "nodeTaints", saying: /nodeTaints is missing/ },
    { path: "mode", saying: /mode is missing/ },
  ],
  reads: ["nodeTaints", "mode", "vmSize"],
});

describe("gpu-pool-tainted (A3)", () => {
  it("says each label that a pool without labels lacks", async () => {
    const bare = { ...gpuPool, props: changed(gpuPool.props, "nodeLabels", undefined) };
    const messages = (await verdicts(gpuPoolTainted, [bare])).map(({ message }) => message);
    expect(messages).toEqual([
      "nodeLabels is missing; it must hold nvidia.com/gpu.present: true",
      "nodeLabels is missing; it must hold triton-azure/gpu-pool",
    ]);
  });
  it("does not ask taints of pools without GPUs", async () => {
    expect(await verdicts(gpuPoolTainted, [userPool, cluster])).toEqual([]);
  });
  it("reports violations beside values that are not known yet (C1)", async () => {
    const vague = { ...gpuPool, props: changed(changed(gpuPool.props, "nodeLabels", unknown), "mode", "System") };
    expect(await verdicts(gpuPoolTainted, [vague])).toMatchObject([
      { level: "mandatory", message: "mode is System; it must be User" },
      { level: "advisory", message: expect.stringContaining("nodeLabels") as unknown },
    ]);
  });
  it("finds the taint beside one that is not known yet", async () => {
    const more = { ...gpuPool, props: changed(gpuPool.props, "nodeTaints", [unknown, "sku=gpu:NoSchedule"]) };
    const others = { ...gpuPool, props: changed(gpuPool.props, "nodeTaints", [unknown]) };
    expect(await verdicts(gpuPoolTainted, [more])).toEqual([]);
    expect(await verdicts(gpuPoolTainted, [others])).toMatchObject([{ level: "advisory" }]);
  });
});

promises(gpuDriverProfile, "GPU pool (A7)", {
  of: gpuPool,
  refuses: [
    { path: "gpuProfile.driver", to: "Skip", saying: /gpuProfile\.driver is Skip; it must be Install or None/ },
    { path: "tags.SkipGPUDriverInstall", to: "true", saying: /tags hold SkipGPUDriverInstall, which AKS ignores/ },
    { path: "tags.skipgpudriverinstall", to: "true", saying: /which AKS ignores/ },
  ],
  needs: [{ path: "gpuProfile", saying: /gpuProfile\.driver is missing/ }],
  reads: ["gpuProfile", "vmSize"],
  allows: [{ path: "gpuProfile.driver", to: "None", because: "a driver that a GPU operator installs" }],
});

promises(gpuPoolCap, "GPU pool", {
  of: gpuPool,
  refuses: [{ path: "maxCount", to: 3, saying: /maxCount is 3; it must be 2 or less/ }],
  needs: [{ path: "maxCount", saying: /maxCount is missing; it must be 2 or less/ }],
  reads: ["maxCount", "enableAutoScaling", "vmSize"],
});

promises(gpuPoolCap, "GPU pool without autoscaling, with a limit of its own", {
  of: { ...gpuPool, props: { ...changed(gpuPool.props, "maxCount", undefined), enableAutoScaling: false, count: 5 } },
  settings: { maxNodes: 5 },
  refuses: [{ path: "count", to: 6, saying: /count is 6; it must be 5 or less/ }],
  needs: [{ path: "count", saying: /count is missing/ }],
});

describe("gpu-total-cap", () => {
  const pool = (name: string, vmSize: string, maxCount: unknown): Fixture => ({
    ...gpuPool,
    name,
    props: { ...gpuPool.props, vmSize, maxCount },
  });
  const judge = (pools: Fixture[], maxGpus: number) =>
    verdicts(gpuTotalCap, [...pools, userPool, cluster], { maxGpus });

  it("counts the GPUs of all nodes of all pools", async () => {
    const pools = [pool("a", "Standard_NC64as_T4_v3", 2), pool("b", "Standard_NC24ads_A100_v4", 3)];
    expect(await judge(pools, 11)).toEqual([]);
    expect(await judge(pools, 10)).toEqual([
      { level: "mandatory", name: undefined, message: "the GPU pools can grow to 11 GPUs; the budget is 10" },
    ]);
  });
  it("counts a part of a GPU as one", async () => {
    expect(await judge([pool("a", "Standard_NV6ads_A10_v5", 3)], 2)).toHaveLength(1);
  });
  it("has a small budget unless told otherwise", async () => {
    expect(await verdicts(gpuTotalCap, [pool("a", "Standard_NC4as_T4_v3", 3)])).toHaveLength(1);
  });
  it.each(["maxCount", "vmSize", "enableAutoScaling"])("reports that %s is not known yet", async (path) => {
    const vague = { ...gpuPool, props: changed(gpuPool.props, path, unknown) };
    expect(await judge([vague], 10)).toMatchObject([
      { level: "advisory", message: expect.stringContaining(`pool-t4.${path}`) as unknown },
    ]);
  });
});
