import { describe, expect, it } from "vitest";
import {
  type GpuSize,
  generalSize,
  generalSizes,
  gpuSize,
  gpuSizes,
  isWholeGpu,
  migProfilesOf,
  priceTableDate,
  retiredSize,
} from "../../core/vm-sizes";

const known = (name: string): GpuSize => {
  const size = gpuSize(name);
  if (size === undefined) throw new Error(`${name} is not in the table`);
  return size;
};

const dollarsPer = (size: { readonly hourlyUsd?: number }, units: number): number => (size.hourlyUsd ?? NaN) / units;

describe("GPU sizes", () => {
  it("have unique names, whatever their letter case", () => {
    const names = gpuSizes.map(({ name }) => name.toLowerCase());
    expect(new Set(names).size).toBe(names.length);
  });

  it("are found in any letter case, under the name that Azure writes", () => {
    expect(gpuSize("standard_nc4AS_t4_V3")?.name).toBe("Standard_NC4as_T4_v3");
    expect(gpuSize("Standard_D4ds_v5")).toBeUndefined();
  });

  it.each(gpuSizes)("$name has positive numbers that agree with its name", (size) => {
    const { gpus, gpuMemoryGiB, vcpus, memoryGiB, tempDiskGiB, networkGbps, hourlyUsd } = size;
    for (const value of [gpus, gpuMemoryGiB, vcpus, memoryGiB, tempDiskGiB, networkGbps, hourlyUsd]) {
      expect(value).toBeGreaterThan(0);
    }
    expect(Number(/^Standard_N[CDV](\d+)/.exec(size.name)?.[1])).toBe(vcpus);
    if (size.name !== "Standard_ND96asr_v4") expect(size.name).toContain(`_${size.gpu}_`);
  });

  it.each(gpuSizes)("$name has the memory of its GPU model", ({ gpu, gpus, gpuMemoryGiB }) => {
    const variants = { T4: [16], A10: [24], A100: [40, 80], H100: [80, 94], H200: [141] };
    expect(variants[gpu]).toContain(Math.round((gpuMemoryGiB / gpus) * 1000) / 1000);
  });

  it("cost within a series more the more GPUs and vCPUs they have", () => {
    for (const [index, size] of gpuSizes.entries()) {
      const before = gpuSizes[index - 1];
      if (before?.family !== size.family) continue;
      expect(size.hourlyUsd, size.name).toBeGreaterThan(before.hourlyUsd ?? Infinity);
      expect(size.gpus, size.name).toBeGreaterThanOrEqual(before.gpus);
    }
  });

  it.each(["NC_A100_v4", "NCads_H100_v5"])("cost the same for each GPU throughout %s", (family) => {
    const prices = gpuSizes.filter((size) => size.family === family).map((size) => dollarsPer(size, size.gpus));
    expect(prices.length).toBeGreaterThan(1);
    for (const price of prices) expect(price).toBeCloseTo(prices[0] ?? NaN, 6);
  });

  it("tell partial GPUs from whole ones", () => {
    expect(gpuSizes.filter((size) => !isWholeGpu(size)).map(({ name }) => name)).toEqual([
      "Standard_NV6ads_A10_v5",
      "Standard_NV12ads_A10_v5",
      "Standard_NV18ads_A10_v5",
    ]);
  });

  it("offer no more local disk for the OS of a 1-GPU A100 node than 64 GiB", () => {
    expect(gpuSize("Standard_NC24ads_A100_v4")).toMatchObject({ ephemeralOsDisk: true, tempDiskGiB: 64 });
  });

  it("carry the day of their prices", () => {
    expect(priceTableDate).toMatch(/^\d{4}-\d{2}-\d{2}$/);
    expect(new Date(priceTableDate).toISOString().slice(0, 10)).toBe(priceTableDate);
  });
});

describe("MIG profiles", () => {
  it.each([
    ["Standard_NC24ads_A100_v4", "1g.10gb 2g.20gb 3g.40gb 4g.40gb 7g.80gb"],
    ["Standard_NC96ads_A100_v4", "1g.10gb 2g.20gb 3g.40gb 4g.40gb 7g.80gb"],
    ["Standard_ND96asr_v4", "1g.5gb 2g.10gb 3g.20gb 4g.20gb 7g.40gb"],
    ["Standard_NC40ads_H100_v5", "1g.12gb 2g.24gb 3g.47gb 4g.47gb 7g.94gb"],
    ["Standard_ND96isr_H100_v5", "1g.10gb 2g.20gb 3g.40gb 4g.40gb 7g.80gb"],
    ["Standard_ND96isr_H200_v5", "1g.18gb 2g.35gb 3g.71gb 4g.71gb 7g.141gb"],
  ])("of %s are %s", (name, profiles) => {
    expect(migProfilesOf(known(name)).map(({ resourceName }) => resourceName)).toEqual(
      profiles.split(" ").map((profile) => `nvidia.com/mig-${profile}`),
    );
  });

  it("exist for A100, H100 and H200 only", () => {
    for (const size of gpuSizes) {
      const models: readonly string[] = ["A100", "H100", "H200"];
      expect(size.mig, size.name).toBe(models.includes(size.gpu));
      expect(migProfilesOf(size), size.name).toHaveLength(size.mig ? 5 : 0);
    }
  });

  it("split each GPU into 7, 3, 2, 1 and 1 instances that fit it", () => {
    for (const size of gpuSizes.filter(({ mig }) => mig)) {
      const profiles = migProfilesOf(size);
      expect(profiles.map(({ profile, instancesPerGpu }) => [profile, instancesPerGpu])).toEqual([
        ["MIG1g", 7],
        ["MIG2g", 3],
        ["MIG3g", 2],
        ["MIG4g", 1],
        ["MIG7g", 1],
      ]);
      for (const { instancesPerGpu, memoryGB } of profiles) {
        // NVIDIA's names round to whole GB.
        expect(instancesPerGpu * (memoryGB - 0.5), size.name).toBeLessThanOrEqual(size.gpuMemoryGiB / size.gpus);
      }
    }
  });
});

describe("retired sizes", () => {
  it.each([
    ["Standard_NC6s_v3", "2025-09-30", "Standard_NC4as_T4_v3"],
    ["Standard_NC6", "2023-09-06", "Standard_NC4as_T4_v3"],
    ["Standard_NV12_Promo", "2023-09-06", "Standard_NV72ads_A10_v5"],
    ["Standard_NC24rs_v3", "2025-09-30", "Standard_NC64as_T4_v3"],
    ["Standard_NC12s_v2", "2023-09-06", "Standard_NV72ads_A10_v5"],
    ["Standard_ND24rs", "2023-09-06", "Standard_NC64as_T4_v3"],
    ["Standard_NV48s_v3", "2026-09-30", "Standard_NC64as_T4_v3"],
    ["Standard_NV4as_v4", "2026-09-30", "Standard_NC4as_T4_v3"],
  ])("A1: %s was retired on %s, %s replaces it", (name, retiredOn, replacement) => {
    expect(retiredSize(name)).toEqual({ retiredOn, replacement });
    expect(retiredSize(name.toUpperCase())).toEqual({ retiredOn, replacement });
    expect(gpuSize(name)).toBeUndefined();
    expect(known(replacement).name).toBe(replacement);
    expect(retiredSize(replacement)).toBeUndefined();
  });

  it.each([
    "NC6 NC12 NC24 NC24r NC6_Promo NC12_Promo NC24_Promo NC24r_Promo",
    "NC6s_v2 NC12s_v2 NC24s_v2 NC24rs_v2",
    "NC6s_v3 NC12s_v3 NC24s_v3 NC24rs_v3",
    "ND6s ND12s ND24s ND24rs",
    "NV6 NV12 NV24 NV6_Promo NV12_Promo NV24_Promo",
    "NV12s_v3 NV24s_v3 NV48s_v3 NV12hs_v3 NV24ms_v3 NV32ms_v3",
    "NV4as_v4 NV8as_v4 NV16as_v4 NV32as_v4 NV4ahs_v4 NV8ahs_v4 NV16ahs_v4 NV32ahs_v4",
  ])("A1: %s each name a replacement that can be had", (names) => {
    for (const name of names.split(" ")) {
      const retired = retiredSize(`Standard_${name}`);
      expect(isWholeGpu(known(retired?.replacement ?? name)), name).toBe(true);
      expect(retired?.retiredOn, name).toMatch(/^202\d-09-\d{2}$/);
    }
  });

  it("do not include a size that can be had, nor one that nobody retired", () => {
    for (const { name } of [...gpuSizes, ...generalSizes]) expect(retiredSize(name), name).toBeUndefined();
    expect(retiredSize("Standard_ND40rs_v2")).toBeUndefined();
    expect(retiredSize("Standard_NC6s_v30")).toBeUndefined();
  });
});

describe("general purpose sizes", () => {
  it("have unique names that are no GPU sizes and are found in any letter case", () => {
    const names = generalSizes.map(({ name }) => name.toLowerCase());
    expect(new Set(names).size).toBe(names.length);
    expect(generalSize("STANDARD_d4DS_v5")?.name).toBe("Standard_D4ds_v5");
    for (const name of names) expect(gpuSize(name), name).toBeUndefined();
  });

  it.each(generalSizes)("$name has a local disk exactly if its name has a d, and 4 or 8 GiB a vCPU", (size) => {
    const [, letter, vcpus, features] = /^Standard_([DE])(\d+)([a-z]+)_v\d$/.exec(size.name) ?? [];
    expect(size.vcpus).toBe(Number(vcpus));
    expect(size.memoryGiB).toBe(size.vcpus * (letter === "E" ? 8 : 4));
    expect(size.tempDiskGiB > 0).toBe(features?.includes("d"));
    expect(size.ephemeralOsDisk).toBe(size.tempDiskGiB > 0);
  });

  it("cost in proportion to their vCPUs within a series, to a tenth of a cent or so", () => {
    const seriesOf = (name: string) => name.replace(/\d+/, "");
    for (const size of generalSizes) {
      const first = generalSizes.find(({ name }) => seriesOf(name) === seriesOf(size.name));
      if (first === undefined) throw new Error("unreachable: a series has its own member");
      const ratio = dollarsPer(size, size.vcpus) / dollarsPer(first, first.vcpus);
      expect(Math.abs(ratio - 1), size.name).toBeLessThan(0.01);
    }
  });
});
