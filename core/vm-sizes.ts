/** NVIDIA GPU models of the sizes in the table. */
export type GpuModel = "T4" | "A10" | "A100" | "H100" | "H200";

/** What Azure publishes about a size with NVIDIA GPUs (articles "<name> size series" of the virtual machine documentation). */
export interface GpuSize {
  /** As Azure Resource Manager spells it, for example `Standard_NC4as_T4_v3`. */
  readonly name: string;
  /** Size series, for example `NCasT4_v3`. Its sizes differ in number of GPUs, not in model. */
  readonly family: string;
  readonly gpu: GpuModel;
  /** Whole GPUs, or the share of one that a partial size owns: 1/6, 1/3 or 1/2. */
  readonly gpus: number;
  /** Memory of all GPUs together. Azure's articles write GB for what NVIDIA counts in GiB. */
  readonly gpuMemoryGiB: number;
  readonly vcpus: number;
  readonly memoryGiB: number;
  /**
   * Local disk that an ephemeral OS disk may take whole, 0 if there is none; more than 2040 GiB it never takes (article
   * "Ephemeral OS disks for Azure VMs"). Data disks on NVMe, which the A100, H100 and H200 sizes have besides, do not count.
   */
  readonly tempDiskGiB: number;
  readonly ephemeralOsDisk: boolean;
  /** Whether AKS can split the GPUs: A100, H100 and H200 (article "Create a multi-instance GPU node pool in AKS"). */
  readonly mig: boolean;
  /** Upper limit of all network interfaces together, not a guarantee. */
  readonly networkGbps: number;
  /** On-demand list price on `priceTableDate`, Linux, East US, in US dollars. Absent where none is known. For orientation only. */
  readonly hourlyUsd?: number;
}

/** Day (ISO 8601) of the prices, which the Azure Retail Prices API published. They change, and contracts differ: for orientation only. */
export const priceTableDate = "2026-06-18";

type GpuRow = readonly [
  name: string,
  gpus: number,
  gpuMemoryGiB: number,
  vcpus: number,
  memoryGiB: number,
  tempDiskGiB: number,
  networkGbps: number,
  hourlyUsd: number,
];

const series = (family: string, gpu: GpuModel, rows: readonly GpuRow[]): GpuSize[] =>
  rows.map(([name, gpus, gpuMemoryGiB, vcpus, memoryGiB, tempDiskGiB, networkGbps, hourlyUsd]) => ({
    name: `Standard_${name}`,
    family,
    gpu,
    gpus,
    gpuMemoryGiB,
    vcpus,
    memoryGiB,
    tempDiskGiB,
    ephemeralOsDisk: true,
    mig: gpu === "A100" || gpu === "H100" || gpu === "H200",
    networkGbps,
    hourlyUsd,
  }));

/** Sizes that AKS offers for GPU pools, each series from small to large. */
// prettier-ignore
export const gpuSizes: readonly GpuSize[] = [
  // name, GPUs, GPU memory GiB, vCPUs, memory GiB, temporary disk GiB, network Gbit/s, US dollars per hour
  ...series("NCasT4_v3", "T4", [
    ["NC4as_T4_v3",       1,     16,    4,   28,    176,  8,  0.526],
    ["NC8as_T4_v3",       1,     16,    8,   56,    352,  8,  0.752],
    ["NC16as_T4_v3",      1,     16,   16,  110,    352,  8,  1.204],
    ["NC64as_T4_v3",      4,     64,   64,  440,   2816, 32,  4.352],
  ]),
  ...series("NVadsA10_v5", "A10", [
    ["NV6ads_A10_v5",     1 / 6,  4,    6,   55,    180,  5,  0.454],
    ["NV12ads_A10_v5",    1 / 3,  8,   12,  110,    360, 10,  0.908],
    ["NV18ads_A10_v5",    1 / 2, 12,   18,  220,    720, 20,  1.6],
    ["NV36ads_A10_v5",    1,     24,   36,  440,   1440, 40,  3.2],
    ["NV36adms_A10_v5",   1,     24,   36,  880,   2880, 80,  4.52],
    ["NV72ads_A10_v5",    2,     48,   72,  880,   2880, 80,  6.52],
  ]),
  ...series("NC_A100_v4", "A100", [
    ["NC24ads_A100_v4",   1,     80,   24,  220,     64, 20,  3.673],
    ["NC48ads_A100_v4",   2,    160,   48,  440,    128, 40,  7.346],
    ["NC96ads_A100_v4",   4,    320,   96,  880,    256, 80, 14.692],
  ]),
  ...series("NDasrA100_v4", "A100", [
    ["ND96asr_v4",        8,    320,   96,  900,   6000, 24, 27.197],
  ]),
  ...series("NDm_A100_v4", "A100", [
    ["ND96amsr_A100_v4",  8,    640,   96, 1900,   6400, 24, 32.77],
  ]),
  // The article's 3576 and 7152 GiB are NVMe disks, where only v6 sizes and later place an OS disk.
  ...series("NCads_H100_v5", "H100", [
    ["NC40ads_H100_v5",   1,     94,   40,  320,    128, 40,  6.98],
    ["NC80adis_H100_v5",  2,    188,   80,  640,    256, 80, 13.96],
  ]),
  ...series("ND-H100-v5", "H100", [
    ["ND96isr_H100_v5",   8,    640,   96, 1900,   1024, 80, 98.32],
  ]),
  // Not sold in East US; the price is that of East US 2.
  ...series("ND-H200-v5", "H200", [
    ["ND96isr_H200_v5",   8,   1128,   96, 1850,   1024, 80, 84.8],
  ]),
];

/** A general purpose or memory optimised size for system and user pools. Fields as in `GpuSize`. */
export type GeneralSize = Pick<
  GpuSize,
  "name" | "vcpus" | "memoryGiB" | "tempDiskGiB" | "ephemeralOsDisk" | "hourlyUsd"
>;

const general = (
  name: string,
  vcpus: number,
  memoryGiB: number,
  tempDiskGiB: number,
  hourlyUsd: number,
): GeneralSize => ({
  name: `Standard_${name}`,
  vcpus,
  memoryGiB,
  tempDiskGiB,
  ephemeralOsDisk: tempDiskGiB > 0,
  hourlyUsd,
});

// prettier-ignore
export const generalSizes: readonly GeneralSize[] = [
  // name, vCPUs, memory GiB, temporary disk GiB, US dollars per hour
  general("D2ds_v5",    2,   8,   75, 0.113),
  general("D4ds_v5",    4,  16,  150, 0.226),
  general("D8ds_v5",    8,  32,  300, 0.452),
  general("D16ds_v5",  16,  64,  600, 0.904),
  general("D32ds_v5",  32, 128, 1200, 1.808),
  general("D2s_v5",     2,   8,    0, 0.096),
  general("D4s_v5",     4,  16,    0, 0.192),
  general("D8s_v5",     8,  32,    0, 0.384),
  general("D16s_v5",   16,  64,    0, 0.768),
  general("D4ads_v5",   4,  16,  150, 0.206),
  general("D8ads_v5",   8,  32,  300, 0.412),
  general("D2ds_v6",    2,   8,  110, 0.125),
  general("D4ds_v6",    4,  16,  220, 0.249),
  general("D8ds_v6",    8,  32,  440, 0.498),
  general("D4ads_v6",   4,  16,  220, 0.228),
  general("D8ads_v6",   8,  32,  440, 0.456),
  general("E2ds_v5",    2,  16,   75, 0.144),
  general("E4ds_v5",    4,  32,  150, 0.288),
  general("E8ds_v5",    8,  64,  300, 0.576),
  general("E16ds_v5",  16, 128,  600, 1.152),
];

const byName = <T extends { readonly name: string }>(rows: readonly T[]): ReadonlyMap<string, T> =>
  new Map(rows.map((row) => [row.name.toLowerCase(), row]));

const gpuSizeByName = byName(gpuSizes);
const generalSizeByName = byName(generalSizes);

/** The row of a GPU size, in any letter case, as Azure takes it. Undefined for retired, unknown and AMD sizes. */
export const gpuSize = (name: string): GpuSize | undefined => gpuSizeByName.get(name.toLowerCase());

/** The row of a general purpose size, in any letter case. Undefined is no error: the table holds only common ones. */
export const generalSize = (name: string): GeneralSize | undefined => generalSizeByName.get(name.toLowerCase());

/** False for sizes that own a share of one GPU. */
export const isWholeGpu = (size: GpuSize): boolean => Number.isInteger(size.gpus);

/** Whether the local disk of a size holds an ephemeral OS disk of so many GiB. */
export const holdsOsDisk = (size: Pick<GpuSize, "ephemeralOsDisk" | "tempDiskGiB">, gib: number): boolean =>
  size.ephemeralOsDisk && size.tempDiskGiB >= gib;

/** Values of `gpuInstanceProfile` of an AKS agent pool. */
export type GpuInstanceProfile = "MIG1g" | "MIG2g" | "MIG3g" | "MIG4g" | "MIG7g";

/** How AKS splits each GPU of a pool. */
export interface MigProfile {
  readonly profile: GpuInstanceProfile;
  readonly instancesPerGpu: number;
  /** Memory of one instance in GB, as in NVIDIA's name of the profile. */
  readonly memoryGB: number;
  /** What pods request under the device plugin's strategy `mixed`: `nvidia.com/mig-1g.10gb`. Under `single` it is `nvidia.com/gpu`. */
  readonly resourceName: string;
}

const migInstances: readonly (readonly [GpuInstanceProfile, instancesPerGpu: number])[] = [
  ["MIG1g", 7],
  ["MIG2g", 3],
  ["MIG3g", 2],
  ["MIG4g", 1],
  ["MIG7g", 1],
];

/** Memory of the profiles 1g, 2g, 3g, 4g and 7g by memory of the whole GPU, in GB (NVIDIA MIG User Guide, "Supported MIG Profiles"). */
const migMemoryGB: ReadonlyMap<number, readonly number[]> = new Map([
  [40, [5, 10, 20, 20, 40]],
  [80, [10, 20, 40, 40, 80]],
  [94, [12, 24, 47, 47, 94]],
  [141, [18, 35, 71, 71, 141]],
]);

/** The MIG profiles that AKS offers for a size, small ones first; empty where it offers none. */
export function migProfilesOf(size: GpuSize): readonly MigProfile[] {
  const memory = size.mig ? migMemoryGB.get(size.gpuMemoryGiB / size.gpus) : undefined;
  return migInstances.flatMap(([profile, instancesPerGpu], index) => {
    const memoryGB = memory?.[index];
    if (memoryGB === undefined) return [];
    return { profile, instancesPerGpu, memoryGB, resourceName: `nvidia.com/mig-${profile.slice(3)}.${memoryGB}gb` };
  });
}

export interface RetiredSize {
  /** Day (ISO 8601) on which Azure stopped the machines that were left. */
  readonly retiredOn: string;
  /** A size of the table with as many GPUs or more. */
  readonly replacement: string;
}

const t4 = "Standard_NC4as_T4_v3";
const twoA10 = "Standard_NV72ads_A10_v5";
const fourT4 = "Standard_NC64as_T4_v3";

/** Dates: articles "<name>-series retirement" and "Retired Azure VM size series". Replacements: ours. NVv4 has AMD GPUs. */
const retirements: readonly (readonly [retiredOn: string, replacement: string, names: string])[] = [
  ["2023-09-06", t4, "NC6 NC6_Promo NC6s_v2 ND6s NV6 NV6_Promo"],
  ["2023-09-06", twoA10, "NC12 NC12_Promo NC12s_v2 ND12s NV12 NV12_Promo"],
  ["2023-09-06", fourT4, "NC24 NC24_Promo NC24r NC24r_Promo NC24s_v2 NC24rs_v2 ND24s ND24rs NV24 NV24_Promo"],
  ["2025-09-30", t4, "NC6s_v3"],
  ["2025-09-30", twoA10, "NC12s_v3"],
  ["2025-09-30", fourT4, "NC24s_v3 NC24rs_v3"],
  ["2026-09-30", t4, "NV12s_v3 NV12hs_v3"],
  ["2026-09-30", twoA10, "NV24s_v3 NV24ms_v3"],
  ["2026-09-30", fourT4, "NV32ms_v3 NV48s_v3"],
  ["2026-09-30", t4, "NV4as_v4 NV4ahs_v4 NV8as_v4 NV8ahs_v4 NV16as_v4 NV16ahs_v4 NV32as_v4 NV32ahs_v4"],
];

const retirementByName: ReadonlyMap<string, RetiredSize> = new Map(
  retirements.flatMap(([retiredOn, replacement, names]) =>
    names.split(" ").map((name) => [`standard_${name.toLowerCase()}`, { retiredOn, replacement }] as const),
  ),
);

/** When Azure retired a GPU size, in any letter case, and what to use; undefined when it is not known to be retired. */
export const retiredSize = (name: string): RetiredSize | undefined => retirementByName.get(name.toLowerCase());
