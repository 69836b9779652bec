import { gpuSize, retiredSize } from "../../core/vm-sizes";
import type { Inputs } from "../support/inputs";
import { isGpuSize, nodePools, poolsOf } from "../support/node-pools";
import { resourceRule } from "../support/rule";

interface Settings {
  readonly allowedSizes: readonly string[];
}

export const gpuSizeListed = resourceRule<Settings>({
  name: "gpu-size-listed",
  description: "Node pools use VM sizes that Azure still offers; those with GPUs are in the table of known sizes.",
  enforcementLevel: "mandatory",
  severity: "high",
  remediationSteps: "Choose a size of core/vm-sizes.ts, such as Standard_NC4as_T4_v3, or add the size there.",
  configSchema: {
    properties: {
      allowedSizes: {
        type: "array",
        items: { type: "string" },
        default: [],
        description: "GPU sizes that may be used; none named means all that are known.",
      },
    },
  },
  on: nodePools,
  check: (resource) => {
    for (const pool of poolsOf(resource)) checkSize(pool, resource.config);
  },
});

function checkSize(pool: Inputs, { allowedSizes }: Settings): void {
  const retired = (size: unknown) => retiredSize(String(size));
  const isAllowed = (size: string) =>
    allowedSizes.length === 0 || allowedSizes.some((allowed) => allowed.toLowerCase() === size.toLowerCase());
  const found = pool.read("vmSize");
  const gone = found.is === "present" ? retired(found.value) : undefined;
  if (gone) {
    pool.report(
      "vmSize",
      `is ${String(found.is === "present" && found.value)}, retired on ${gone.retiredOn}; use ${gone.replacement}`,
    );
    return;
  }
  pool.must(
    "vmSize",
    (size) => !isGpuSize(size) || (gpuSize(String(size)) !== undefined && isAllowed(String(size))),
    allowedSizes.length === 0 ? "must be a known GPU size" : `must be one of ${allowedSizes.join(", ")}`,
  );
}
