import { describe, expect, it } from "vitest";
import { gpuSize, gpuSizes } from "../../../core/vm-sizes";
import { gpuCeiling, hoursPerMonth } from "../../../tools/preview/ceiling";
import { type Properties } from "../../../tools/preview/engine/values";

const pool = (inputs: Properties) => ({
  urn: "urn:pulumi:dev::p::azure-native:containerservice:AgentPool::pool",
  type: "azure-native:containerservice:AgentPool",
  name: "pool",
  inputs: { resourceName: "aks", enableAutoScaling: true, minCount: 0, ...inputs },
});
const t4 = { agentPoolName: "t4", vmSize: "Standard_NC4as_T4_v3", maxCount: 3 };

describe("the GPU ceiling", () => {
  it("counts nodes, GPUs and GPU memory at the maximum of each pool", () => {
    const a100 = { agentPoolName: "a100", vmSize: "Standard_NC48ads_A100_v4", maxCount: 2 };
    const { pools, total } = gpuCeiling([pool(t4), pool(a100)]);
    expect(
      pools.map(({ pool: name, minNodes, maxNodes, gpus, gpuMemoryGiB }) => [
        name,
        minNodes,
        maxNodes,
        gpus,
        gpuMemoryGiB,
      ]),
    ).toEqual([
      ["t4", 0, 3, 3, 48],
      ["a100", 0, 2, 4, 320],
    ]);
    expect(total).toMatchObject({ nodes: 5, gpus: 7, gpuMemoryGiB: 368 });
  });

  it("counts a pool of fixed size by its count", () => {
    const fixed = pool({ ...t4, enableAutoScaling: false, count: 2 });
    expect(gpuCeiling([fixed]).pools[0]).toMatchObject({ minNodes: 2, maxNodes: 2, gpus: 2 });
  });

  it("prices whole months at the list price, where it is known", () => {
    for (const size of gpuSizes) {
      const { pools, total } = gpuCeiling([pool({ ...t4, vmSize: size.name })]);
      const expected =
        size.hourlyUsd === undefined ? null : Math.round(3 * size.hourlyUsd * hoursPerMonth * 1000) / 1000;
      expect(pools[0]?.monthlyUsd).toBe(expected);
      expect(total.monthlyUsd).toBe(expected);
    }
  });

  it("counts parts of a GPU", () => {
    const sixth = gpuSize("Standard_NV6ads_A10_v5");
    expect(sixth?.gpus).toBeCloseTo(1 / 6);
    expect(gpuCeiling([pool({ ...t4, vmSize: "Standard_NV6ads_A10_v5", maxCount: 3 })]).total.gpus).toBe(0.5);
  });

  it("says that it does not know, for unknown values and sizes out of the table", () => {
    const later = gpuCeiling([pool({ ...t4, maxCount: { unknown: true } }), pool(t4)]);
    expect(later.total).toEqual({ nodes: null, gpus: null, gpuMemoryGiB: null, monthlyUsd: null });
    const unlisted = gpuCeiling([pool({ ...t4, vmSize: "Standard_NC999_X1_v9" })]);
    expect(unlisted.pools[0]).toMatchObject({ vmSize: "Standard_NC999_X1_v9", maxNodes: 3, gpus: null });
  });

  it("leaves out pools without GPUs, and sees GPU pools written into the cluster", () => {
    const cluster = {
      urn: "urn:pulumi:dev::p::azure-native:containerservice:ManagedCluster::aks",
      type: "azure-native:containerservice:ManagedCluster",
      name: "aks",
      inputs: {
        resourceName: "aks-1",
        agentPoolProfiles: [
          { name: "system", vmSize: "Standard_D4ds_v5", count: 3 },
          { name: "gpu", vmSize: "Standard_NC4as_T4_v3", count: 1 },
        ],
      },
    };
    const { pools } = gpuCeiling([cluster, pool({ ...t4, vmSize: "Standard_D4ds_v5" })]);
    expect(pools.map(({ pool: name, cluster: of }) => [name, of])).toEqual([["gpu", "aks-1"]]);
  });

  it("names the cluster by its logical name while its real one is not known", () => {
    const unnamed = {
      ...pool({ ...t4, resourceName: { unknown: true } }),
      propertyDependencies: { resourceName: ["urn:pulumi:dev::p::t::region-aks"] },
    };
    expect(gpuCeiling([unnamed]).pools[0]?.cluster).toBe("region-aks");
  });
});
