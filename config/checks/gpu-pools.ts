import { GiB } from "../../core/quantity";
import { gpuSize, holdsOsDisk, migProfilesOf } from "../../core/vm-sizes";
import type { GpuPoolInput } from "../gpu-pools";
import { type Problem, repeatsEarlier } from "../problem";
import { check } from "./check";

type Say = (key: keyof GpuPoolInput, message: string) => void;

/** The Triton image unpacked, system files and logs, in GiB; models come on top. */
const imageAndSystemGiB = 45;

export const gpuPoolSettings = check(["gpuPools", "releases", "release", "cluster"], (values) => {
  const { gpuPools, releases, release, cluster } = values;
  const modelsGiB = (releases.find(({ id }) => id === release)?.sizeBytes ?? 0) / GiB;
  const problems: Problem[] = [];
  gpuPools.forEach((pool, index) => {
    const say: Say = (key, message) => problems.push({ key: `gpuPools[${index}].${key}`, message });
    if (repeatsEarlier(gpuPools, index, ({ name }) => name))
      say("name", `${pool.name} is there already; name each pool once`);
    mig(pool, say);
    bounds(pool, say);
    disk(pool, modelsGiB, say);
    if (pool.migProfile !== undefined && cluster.timeSlicing > 1) {
      say("migProfile", "MIG and cluster.timeSlicing together hand out slices of slices; choose one");
    }
  });
  return problems;
});

/** AKS splits A100, H100 and H200 only. */
function mig({ vmSize, migProfile }: GpuPoolInput, say: Say): void {
  const size = gpuSize(vmSize);
  if (
    migProfile === undefined ||
    size === undefined ||
    migProfilesOf(size).some(({ profile }) => profile === migProfile)
  )
    return;
  say(
    "migProfile",
    `${vmSize} has ${size.gpu} GPUs, which AKS cannot split into ${migProfile}; remove it or use A100, H100 or H200`,
  );
}

/** AKS wants the bounds with autoscaling and only then (cases A9). */
function bounds({ autoscaling, min, max, count }: GpuPoolInput, say: Say): void {
  if (autoscaling) {
    if (count !== undefined) say("count", "only used without autoscaling; set min and max, or autoscaling: false");
    if (min !== undefined && max !== undefined && min > max) say("min", `${min} is more than max, ${max}`);
    return;
  }
  if (min !== undefined) say("min", "only used with autoscaling; set count, or autoscaling: true");
  if (max !== undefined) say("max", "only used with autoscaling; set count, or autoscaling: true");
  if (count === undefined) say("count", "required without autoscaling: the number of nodes");
}

/** What does not fit the OS disk evicts pods, and AKS refuses an ephemeral one that is larger than the size's local disk. */
function disk({ vmSize, osDiskType, osDiskSizeGiB }: GpuPoolInput, modelsGiB: number, say: Say): void {
  const known = gpuSize(vmSize);
  const needed = Math.ceil(imageAndSystemGiB + modelsGiB);
  if (osDiskSizeGiB < needed) {
    say("osDiskSizeGiB", `${osDiskSizeGiB} GiB do not hold image, system and models; give ${needed} GiB or more`);
  }
  if (osDiskType === "Ephemeral" && known !== undefined && !holdsOsDisk(known, osDiskSizeGiB)) {
    say(
      "osDiskType",
      `${vmSize} has a local disk of ${known.tempDiskGiB} GiB, which does not hold ${osDiskSizeGiB} GiB; use Managed`,
    );
  }
}
