import { parseBytes } from "../../core/quantity";
import { type Found, isFields, type Inputs } from "../support/inputs";
import { resourceRule } from "../support/rule";
import { inTriton, type TritonContainer, tritonHosts } from "../support/triton";

const isQuantity = (value: unknown): boolean => bytes(value) > 0;
const bytes = (value: unknown): number => parseBytes(String(value)) ?? 0;

/** What shared memory has to stay below. A limit that is no quantity is reported as such, and once. */
const limitOf = (limit: Found): number =>
  limit.is === "present" && isQuantity(limit.value) ? bytes(limit.value) : Infinity;

export const tritonLimits = resourceRule({
  name: "triton-limits",
  description: "Triton has limits of memory and disk, a CPU request, and shared memory that its limit covers.",
  enforcementLevel: "mandatory",
  severity: "high",
  remediationSteps:
    "Set triton.resources in the stack (resources, sharedMemory and the volumes' sizes in the chart). Shared memory is a " +
    "memory volume at /dev/shm with a sizeLimit below the memory limit.",
  on: tritonHosts,
  check: inTriton(checkValues, checkContainer),
});

function checkValues(values: Inputs): void {
  values.mustBeSet("resources.cpu", "a pod without a CPU request gets what others leave");
  values.must("resources.memory", isQuantity, "must be a quantity, such as 12Gi");
  values.must("gpus", (gpus) => Number.isInteger(gpus) && Number(gpus) >= 0, "must be a number of GPUs, 0 for none");
  for (const path of ["temporaryStorage", "logStorage", "modelRepository.volume.sizeLimit"]) {
    values.must(path, isQuantity, "must be a quantity, such as 10Gi");
  }
  const limit = limitOf(values.read("resources.memory"));
  values.must(
    "sharedMemory",
    (size) => isQuantity(size) && bytes(size) < limit,
    "must be a quantity below resources.memory",
  );
}

function checkContainer({ pod, container }: TritonContainer): void {
  container.must("resources.limits.memory", isQuantity, "must be a quantity, such as 12Gi");
  container.must("resources.limits.ephemeral-storage", isQuantity, "must be a quantity, such as 20Gi");
  container.mustBeSet("resources.requests.cpu", "a pod without a CPU request gets what others leave");
  const mount = container.items("volumeMounts").find((candidate) => candidate.get("mountPath") === "/dev/shm");
  const volume = mount && pod.items("volumes").find((candidate) => candidate.get("name") === mount.get("name"));
  if (!volume) {
    container.report(
      "volumeMounts",
      "hold nothing at /dev/shm, which is 64 MiB then; mount an emptyDir of medium Memory",
    );
    return;
  }
  const limit = limitOf(container.read("resources.limits.memory"));
  volume.must(
    "emptyDir",
    (source) =>
      isFields(source) &&
      source["medium"] === "Memory" &&
      isQuantity(source["sizeLimit"]) &&
      bytes(source["sizeLimit"]) < limit,
    "must be of medium Memory with a sizeLimit below the memory limit",
  );
}
