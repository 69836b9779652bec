import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { gpuPoolName, GpuNodePool } from "../../../components/azure/gpu-node-pool";
import type { GpuPool } from "../../../config";
import { gpuSizes } from "../../../core/vm-sizes";
import { input, type Run, runProgram } from "../../support/engine";
import { clusterArgs, configWith } from "./cluster-fixture";

/** One pool of the configuration, its bounds worked out. */
const poolWith = (keys: Record<string, unknown> = {}): GpuPool => {
  const [pool] = configWith({ gpuPools: [{ name: "t4", ...keys }] }).gpuPools;
  if (pool === undefined) throw new Error("the configuration has no pool");
  return pool;
};

const runPools = (pools: readonly GpuPool[]): Promise<Run> =>
  runProgram(() => {
    const args = clusterArgs(configWith());
    pools.forEach((pool, index) => new GpuNodePool(`pool-${index}`, { ...args, pool, clusterName: "aks" }));
  });

const runPool = async (keys: Record<string, unknown> = {}) => (await runPools([poolWith(keys)])).one("AgentPool");

const a100 = { vmSize: "Standard_NC24ads_A100_v4" };

describe("GpuNodePool", () => {
  it("A8: is tainted and labelled through AKS, as the autoscaler knows no other labels of an empty pool", async () => {
    const pool = await runPool();
    expect(input(pool, "nodeTaints")).toEqual(["sku=gpu:NoSchedule"]);
    expect(input(pool, "nodeLabels")).toEqual({ "nvidia.com/gpu.present": "true", "triton-azure/gpu-pool": "t4" });
  });

  it("A9: scales from zero between its bounds; then its count is the autoscaler's, given once", async () => {
    const pool = await runPool({ min: 0, max: 3 });
    expect(pool.inputs).toMatchObject({ enableAutoScaling: true, count: 0, minCount: 0, maxCount: 3 });
    expect(pool.options.ignoreChanges).toEqual(["count"]);
  });

  it("A9: without autoscaling has a count of its own and no bounds", async () => {
    const pool = await runPool({ autoscaling: false, count: 2 });
    expect(pool.inputs).toMatchObject({ enableAutoScaling: false, count: 2 });
    expect(pool.inputs).not.toHaveProperty("minCount");
    expect(pool.inputs).not.toHaveProperty("maxCount");
    expect(pool.options.ignoreChanges ?? []).toEqual([]);
  });

  it("A5: says what spot pools carry, and asks for no surge, which AKS refuses them", async () => {
    const pool = await runPool({ spot: true });
    expect(pool.inputs).toMatchObject({
      scaleSetPriority: "Spot",
      scaleSetEvictionPolicy: "Delete",
      spotMaxPrice: -1,
      nodeTaints: ["sku=gpu:NoSchedule", "kubernetes.azure.com/scalesetpriority=spot:NoSchedule"],
    });
    expect(input(pool, ["nodeLabels", "kubernetes.azure.com/scalesetpriority"])).toBe("spot");
    expect(pool.inputs).not.toHaveProperty("upgradeSettings");
  });

  it("A5: other pools have nothing of spot", async () => {
    const pool = await runPool();
    expect(JSON.stringify(pool.inputs)).not.toMatch(/spot/i);
  });

  it("upgrades in place, node by node, unless quota is spare", async () => {
    expect(input(await runPool(), "upgradeSettings")).toEqual({ maxSurge: "0", maxUnavailable: "1" });
    expect(input(await runPool({ spareQuota: 2 }), "upgradeSettings")).toEqual({ maxSurge: "2", maxUnavailable: "0" });
  });

  it("A6, A7: lets AKS install the driver, or nobody, by the profile and not by a tag", async () => {
    expect(input(await runPool(), "gpuProfile")).toEqual({ driver: "Install" });
    const without = await runPool({ driver: "None" });
    expect(input(without, "gpuProfile")).toEqual({ driver: "None" });
    expect(input(without, "tags")).toEqual({ project: "triton-azure" });
  });

  it("splits GPUs where a profile says so", async () => {
    expect(input(await runPool({ ...a100, migProfile: "MIG2g" }), "gpuInstanceProfile")).toBe("MIG2g");
    expect((await runPool(a100)).inputs).not.toHaveProperty("gpuInstanceProfile");
  });

  it("has disk, system and place as configured", async () => {
    const pool = await runPool({ zones: ["2", "1"], osDiskSizeGiB: 100 });
    expect(pool.inputs).toMatchObject({
      vmSize: "Standard_NC4as_T4_v3",
      mode: "User",
      osSKU: "Ubuntu",
      osDiskType: "Ephemeral",
      osDiskSizeGB: 100,
      scaleDownMode: "Delete",
      availabilityZones: ["1", "2"],
    });
    expect((await runPool({ zones: [] })).inputs).not.toHaveProperty("availabilityZones");
  });

  it("is a child of its component", async () => {
    const run = await runPools([poolWith()]);
    expect(run.one("AgentPool").parent).toBe(run.one("triton-azure:index:GpuNodePool").urn);
  });
});

describe("the name of a GPU pool", () => {
  const base: Record<string, unknown> = { name: "gpu", ...a100 };
  const nameWith = (change: Record<string, unknown>) => gpuPoolName(poolWith({ ...base, ...change }));
  const usual = nameWith({});

  it("is the same in Azure and in Pulumi, so that a replacement is another pool beside the old one", async () => {
    const pool = await runPool(base);
    expect(input(pool, "agentPoolName")).toBe(usual);
    expect(pool.name).toBe(`pool-0-${usual}`);
  });

  it.each([
    ["VM size", { vmSize: "Standard_NC48ads_A100_v4" }],
    ["spot", { spot: true }],
    ["MIG profile", { migProfile: "MIG1g" }],
    ["driver (A6)", { driver: "None" }],
    ["zones", { zones: ["1"] }],
    ["kind of OS disk", { osDiskType: "Ephemeral", osDiskSizeGiB: 60 }],
    ["size of OS disk", { osDiskSizeGiB: 200 }],
  ])("changes with what AKS cannot change on a living pool: %s", (_, change) => {
    expect(nameWith(change)).not.toBe(usual);
  });

  it.each([
    ["bounds", { min: 1, max: 9 }],
    ["autoscaling", { autoscaling: false, count: 3 }],
    ["spare quota", { spareQuota: 3 }],
    ["order of zones", { zones: ["3", "2", "1"] }],
    ["letter case of the size", { vmSize: "Standard_nc24ads_a100_V4" }],
  ])("stays with what can change, or means the same: %s", (_, change) => {
    expect(nameWith(change)).toBe(usual);
  });

  it("covers every input that a pool has at its creation only", async () => {
    // A new input must be sorted: into the name, or in here when AKS changes it on a living pool.
    const mutable = [
      "count",
      "enableAutoScaling",
      "maxCount",
      "minCount",
      "nodeLabels",
      "nodeTaints",
      "scaleDownMode",
      "tags",
    ];
    const place = ["agentPoolName", "mode", "resourceGroupName", "resourceName", "vnetSubnetID"];
    const named = [
      [
        "availabilityZones",
        "gpuInstanceProfile",
        "gpuProfile",
        "maxPods",
        "osDiskSizeGB",
        "osDiskType",
        "osSKU",
        "osType",
      ],
      ["scaleSetEvictionPolicy", "scaleSetPriority", "spotMaxPrice", "type", "vmSize"],
    ].flat();
    const pool = await runPool({ ...base, migProfile: "MIG1g", spot: true });
    expect(Object.keys(pool.inputs).sort()).toEqual([...mutable, ...place, ...named].sort());
  });

  const anyPool = fc
    .record({
      name: fc.stringMatching(/^[a-z][a-z0-9]{0,7}$/),
      vmSize: fc.constantFrom(...gpuSizes.map(({ name }) => name)),
      spot: fc.boolean(),
      driver: fc.constantFrom("Install" as const, "None" as const),
      zones: fc.subarray(["1", "2", "3"] as const),
      osDiskSizeGiB: fc.integer({ min: 30, max: 2048 }),
      osDiskType: fc.constantFrom("Ephemeral" as const, "Managed" as const),
      migProfile: fc.constantFrom(undefined, "MIG1g" as const, "MIG7g" as const),
    })
    .map((keys): GpuPool => ({ ...poolWith(), ...keys, zones: [...keys.zones] }));

  it("is one that AKS takes, and depends on nothing that changes in place", () => {
    const changes = fc.record({
      min: fc.nat(20),
      max: fc.integer({ min: 20, max: 40 }),
      autoscaling: fc.boolean(),
      spareQuota: fc.nat(10),
    });
    fc.assert(
      fc.property(anyPool, changes, (pool, change) => {
        const name = gpuPoolName(pool);
        expect(name).toMatch(/^[a-z][a-z0-9]{4,11}$/);
        expect(name.slice(0, -4)).toBe(pool.name);
        expect(gpuPoolName({ ...pool, ...change, zones: [...pool.zones].reverse() })).toBe(name);
      }),
    );
  });
});
