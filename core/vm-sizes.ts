/** GPU models of the sizes in the table. */
export type GpuModel = "T4" | "A10" | "A100" | "H100" | "H200";

/** What Azure publishes about a GPU size (articles "<family> size series" of the virtual machine documentation). */
export interface GpuSize {
  /** As Azure Resource Manager spells it, for example `Standard_NC4as_T4_v3`. */
  readonly name: string;
  /** Series that shares one quota, for example `NCasT4_v3`. */
  readonly family: string;
  readonly gpu: GpuModel;
  /** Whole GPUs, or the fraction of one that a partial size owns (1/6, 1/3 or 1/2). */
  readonly gpus: number;
  /** Memory of all GPUs of the size together. */
  readonly gpuMemoryGiB: number;
  readonly vcpus: number;
  readonly memoryGiB: number;
  /** Local temporary disk, the largest that an ephemeral OS disk may be. 0 when there is none. */
  readonly tempDiskGiB: number;
  readonly ephemeralOsDisk: boolean;
  /** Whether AKS can partition the GPUs (article "Create a multi-instance GPU node pool in AKS"). */
  readonly mig: boolean;
  /** Upper limit of all network interfaces together, not a guarantee. */
  readonly networkGbps: number;
  /** On-demand list price, Linux, East US, in US dollars. Absent when no price is known. For orientation only. */
  readonly hourlyUsd?: number;
}

const partialA10 = { family: "NVadsA10_v5", gpu: "A10", ephemeralOsDisk: true, mig: false } as const;
const t4 = { family: "NCasT4_v3", gpu: "T4", ephemeralOsDisk: true, mig: false } as const;
const a100 = { family: "NC_A100_v4", gpu: "A100", ephemeralOsDisk: true, mig: true } as const;
const h100 = { family: "NCads_H100_v5", gpu: "H100", ephemeralOsDisk: true, mig: true } as const;

export const gpuSizes: readonly GpuSize[] = [
  {
    name: "Standard_NC4as_T4_v3",
    ...t4,
    gpus: 1,
    gpuMemoryGiB: 16,
    vcpus: 4,
    memoryGiB: 28,
    tempDiskGiB: 176,
    networkGbps: 8,
  },
  {
    name: "Standard_NC8as_T4_v3",
    ...t4,
    gpus: 1,
    gpuMemoryGiB: 16,
    vcpus: 8,
    memoryGiB: 56,
    tempDiskGiB: 352,
    networkGbps: 8,
  },
  {
    name: "Standard_NC16as_T4_v3",
    ...t4,
    gpus: 1,
    gpuMemoryGiB: 16,
    vcpus: 16,
    memoryGiB: 110,
    tempDiskGiB: 352,
    networkGbps: 8,
  },
  {
    name: "Standard_NC64as_T4_v3",
    ...t4,
    gpus: 4,
    gpuMemoryGiB: 64,
    vcpus: 64,
    memoryGiB: 440,
    tempDiskGiB: 2816,
    networkGbps: 32,
  },
  {
    name: "Standard_NV6ads_A10_v5",
    ...partialA10,
    gpus: 1 / 6,
    gpuMemoryGiB: 4,
    vcpus: 6,
    memoryGiB: 55,
    tempDiskGiB: 180,
    networkGbps: 5,
  },
  {
    name: "Standard_NV12ads_A10_v5",
    ...partialA10,
    gpus: 1 / 3,
    gpuMemoryGiB: 8,
    vcpus: 12,
    memoryGiB: 110,
    tempDiskGiB: 360,
    networkGbps: 10,
  },
  {
    name: "Standard_NV18ads_A10_v5",
    ...partialA10,
    gpus: 1 / 2,
    gpuMemoryGiB: 12,
    vcpus: 18,
    memoryGiB: 220,
    tempDiskGiB: 720,
    networkGbps: 20,
  },
  {
    name: "Standard_NV36ads_A10_v5",
    ...partialA10,
    gpus: 1,
    gpuMemoryGiB: 24,
    vcpus: 36,
    memoryGiB: 440,
    tempDiskGiB: 1440,
    networkGbps: 40,
  },
  {
    name: "Standard_NV36adms_A10_v5",
    ...partialA10,
    gpus: 1,
    gpuMemoryGiB: 24,
    vcpus: 36,
    memoryGiB: 880,
    tempDiskGiB: 2880,
    networkGbps: 80,
  },
  {
    name: "Standard_NV72ads_A10_v5",
    ...partialA10,
    gpus: 2,
    gpuMemoryGiB: 48,
    vcpus: 72,
    memoryGiB: 880,
    tempDiskGiB: 2880,
    networkGbps: 80,
  },
  {
    name: "Standard_NC24ads_A100_v4",
    ...a100,
    gpus: 1,
    gpuMemoryGiB: 80,
    vcpus: 24,
    memoryGiB: 220,
    tempDiskGiB: 64,
    networkGbps: 20,
  },
  {
    name: "Standard_NC48ads_A100_v4",
    ...a100,
    gpus: 2,
    gpuMemoryGiB: 160,
    vcpus: 48,
    memoryGiB: 440,
    tempDiskGiB: 128,
    networkGbps: 40,
  },
  {
    name: "Standard_NC96ads_A100_v4",
    ...a100,
    gpus: 4,
    gpuMemoryGiB: 320,
    vcpus: 96,
    memoryGiB: 880,
    tempDiskGiB: 256,
    networkGbps: 80,
  },
  {
    name: "Standard_NC40ads_H100_v5",
    ...h100,
    gpus: 1,
    gpuMemoryGiB: 94,
    vcpus: 40,
    memoryGiB: 320,
    tempDiskGiB: 128,
    networkGbps: 40,
  },
  {
    name: "Standard_NC80adis_H100_v5",
    ...h100,
    gpus: 2,
    gpuMemoryGiB: 188,
    vcpus: 80,
    memoryGiB: 640,
    tempDiskGiB: 256,
    networkGbps: 80,
  },
  {
    name: "Standard_ND96isr_H100_v5",
    family: "ND_H100_v5",
    gpu: "H100",
    ephemeralOsDisk: true,
    mig: true,
    gpus: 8,
    gpuMemoryGiB: 640,
    vcpus: 96,
    memoryGiB: 1900,
    tempDiskGiB: 1024,
    networkGbps: 80,
  },
  {
    name: "Standard_ND96isr_H200_v5",
    family: "ND_H200_v5",
    gpu: "H200",
    ephemeralOsDisk: true,
    mig: true,
    gpus: 8,
    gpuMemoryGiB: 1128,
    vcpus: 96,
    memoryGiB: 1850,
    tempDiskGiB: 1024,
    networkGbps: 80,
  },
];

/** Day (ISO 8601) of the price list behind `hourlyUsd`. */
export const priceTableDate = "2026-08-01";

/** A general purpose or memory optimised size that suits system and user pools. Fields as in `GpuSize`. */
export interface GeneralSize {
  readonly name: string;
  readonly vcpus: number;
  readonly memoryGiB: number;
  readonly tempDiskGiB: number;
  readonly ephemeralOsDisk: boolean;
  readonly hourlyUsd?: number;
}

export const generalSizes: readonly GeneralSize[] = [
  { name: "Standard_D2ds_v5", vcpus: 2, memoryGiB: 8, tempDiskGiB: 75, ephemeralOsDisk: true },
  { name: "Standard_D4ds_v5", vcpus: 4, memoryGiB: 16, tempDiskGiB: 150, ephemeralOsDisk: true },
  { name: "Standard_D8ds_v5", vcpus: 8, memoryGiB: 32, tempDiskGiB: 300, ephemeralOsDisk: true },
  { name: "Standard_D16ds_v5", vcpus: 16, memoryGiB: 64, tempDiskGiB: 600, ephemeralOsDisk: true },
  { name: "Standard_D4s_v5", vcpus: 4, memoryGiB: 16, tempDiskGiB: 0, ephemeralOsDisk: false },
  { name: "Standard_D8s_v5", vcpus: 8, memoryGiB: 32, tempDiskGiB: 0, ephemeralOsDisk: false },
];

const byName = <T extends { readonly name: string }>(rows: readonly T[]): ReadonlyMap<string, T> =>
  new Map(rows.map((row) => [row.name.toLowerCase(), row]));

const gpuSizeByName = byName(gpuSizes);
const generalSizeByName = byName(generalSizes);

/** The table row of a GPU size; letter case is ignored, as Azure does. */
export const gpuSize = (name: string): GpuSize | undefined => gpuSizeByName.get(name.toLowerCase());

/** The table row of a general purpose size; letter case is ignored, as Azure does. */
export const generalSize = (name: string): GeneralSize | undefined => generalSizeByName.get(name.toLowerCase());

/** False for sizes that own a share of one GPU. */
export const isWholeGpu = (size: GpuSize): boolean => Number.isInteger(size.gpus);

/** Values of `gpuInstanceProfile` of an AKS agent pool. */
export type GpuInstanceProfile = "MIG1g" | "MIG2g" | "MIG3g" | "MIG4g" | "MIG7g";

export interface MigProfile {
  readonly profile: GpuInstanceProfile;
  /** MIG instances that one GPU gives. */
  readonly instancesPerGpu: number;
  /** Memory of one instance in GB, as NVIDIA's profile name has it. */
  readonly memoryGB: number;
  /** What pods request under the `mixed` strategy, for example `nvidia.com/mig-1g.10gb`. Under `single` it is `nvidia.com/gpu`. */
  readonly resourceName: string;
}

const migSlices = [
  ["MIG1g", 7],
  ["MIG2g", 3],
  ["MIG3g", 2],
  ["MIG4g", 1],
  ["MIG7g", 1],
] as const;

/** Memory in GB of the profiles 1g, 2g, 3g, 4g and 7g, by memory of the GPU in GB. */
const migMemory: Readonly<Record<number, readonly number[]>> = {
  40: [5, 10, 20, 20, 40],
  80: [10, 20, 40, 40, 80],
  94: [12, 24, 47, 47, 94],
  141: [18, 35, 71, 71, 141],
};

/** The MIG profiles that AKS offers for a size; empty when it offers none. */
export function migProfilesOf(size: GpuSize): readonly MigProfile[] {
  if (!size.mig) return [];
  const memory = migMemory[size.gpuMemoryGiB / size.gpus];
  if (!memory) return [];
  return migSlices.map(([profile, instancesPerGpu], index) => {
    const memoryGB = memory[index] ?? 0;
    return { profile, instancesPerGpu, memoryGB, resourceName: `nvidia.com/mig-${profile.slice(3)}.${memoryGB}gb` };
  });
}

export interface RetiredSize {
  /** ISO 8601 day. */
  readonly retiredOn: string;
  /** A size of the table that takes its place. */
  readonly replacement: string;
}

/** Whether and when Azure retired a GPU size; undefined when it is not known to be retired. */
export function retiredSize(name: string): RetiredSize | undefined {
  return /^Standard_NC(6|12|24|24r)s_v3$/i.test(name)
    ? { retiredOn: "2025-09-30", replacement: "Standard_NC4as_T4_v3" }
    : undefined;
}
