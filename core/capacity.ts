import { type GpuInstanceProfile, type GpuSize, migProfilesOf } from "./vm-sizes";
import { GiB } from "./quantity";

export interface NodeResources {
  readonly vcpus: number;
  readonly memoryGiB: number;
}

export interface PodResources {
  /** Cores. */
  readonly cpu: number;
  /** Bytes. */
  readonly memory: number;
}

/** Pods a node may hold with Azure CNI overlay; AKS reserves memory by this number. */
export const maxPodsPerNode = 250;

/** Allowance for the daemon sets of AKS, its add-ons and the device plugin on each node. */
const daemonSets: PodResources = { cpu: 0.5, memory: 1 * GiB };

/** Cores that AKS keeps for the kubelet by the size of the node (article "Node resource reservations in AKS"). */
function reservedCpu(vcpus: number): number {
  const steps: readonly [number, number][] = [
    [1, 0.06],
    [2, 0.1],
    [4, 0.14],
    [8, 0.18],
    [16, 0.26],
    [32, 0.42],
    [64, 0.74],
  ];
  return steps.find(([limit]) => vcpus <= limit)?.[1] ?? 0.74 + (vcpus - 64) * 0.01;
}

/** Bytes that AKS keeps: 20 MB for each pod and 50 MB, a quarter of the memory at most, and 100 MiB eviction threshold. */
function reservedMemory(memory: number): number {
  return Math.min(maxPodsPerNode * 20e6 + 50e6, memory / 4) + 100 * 2 ** 20;
}

/** What a node of this size has left for one's own pods. An estimate on the safe side. */
export function allocatable(node: NodeResources): PodResources {
  const memory = node.memoryGiB * GiB;
  return {
    cpu: node.vcpus - reservedCpu(node.vcpus) - daemonSets.cpu,
    memory: memory - reservedMemory(memory) - daemonSets.memory,
  };
}

/** The node of a GPU pool, as far as it matters for how many replicas fit. */
export interface GpuNode {
  readonly size: GpuSize;
  readonly migProfile?: GpuInstanceProfile | undefined;
  readonly migStrategy: "single" | "mixed";
  /** Pods that share a GPU by time slices, 1 for none. */
  readonly timeSlicing: number;
}

/** What one replica of Triton takes from its node. */
export interface ReplicaNeeds extends PodResources {
  /** Units of `gpuResource`; 0 runs on the CPU. */
  readonly gpus: number;
  readonly gpuResource: string;
}

/** Units of a GPU resource that the device plugin offers on a node. A part of a GPU (NVadsA10_v5) is one device. */
export function gpuUnits({ size, migProfile, migStrategy, timeSlicing }: GpuNode, resource: string): number {
  const devices = Math.max(1, size.gpus);
  const slices = migProfilesOf(size).find(({ profile }) => profile === migProfile);
  const offered = slices !== undefined && migStrategy === "mixed" ? slices.resourceName : "nvidia.com/gpu";
  return offered === resource ? devices * (slices?.instancesPerGpu ?? 1) * timeSlicing : 0;
}

/** Replicas of Triton that fit on one node, whichever of GPU, CPU and memory runs out first. */
export function replicasPerNode(node: GpuNode, needs: ReplicaNeeds): number {
  const room = allocatable(node.size);
  const byGpu = needs.gpus === 0 ? Infinity : gpuUnits(node, needs.gpuResource) / needs.gpus;
  return Math.floor(Math.min(byGpu, room.cpu / needs.cpu, room.memory / needs.memory));
}
