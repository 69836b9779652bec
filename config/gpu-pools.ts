import { z } from "zod";
import { poolPrefixPattern } from "../core/gpu-pool";
import { nearest } from "../core/nearest";
import { gpuSize, gpuSizes, retiredSize } from "../core/vm-sizes";
import { vmSize, zones } from "./scalars";

/** A size that can still be had and has NVIDIA GPUs; the message names one that has. */
const gpuVmSize = vmSize.superRefine((name, context) => {
  const retired = retiredSize(name);
  if (retired !== undefined) {
    context.addIssue(`${name} was retired on ${retired.retiredOn}; use ${retired.replacement}`);
  } else if (gpuSize(name) === undefined) {
    const guess = nearest(
      name,
      gpuSizes.map((size) => size.name),
    );
    context.addIssue(`${name} is not a known size with NVIDIA GPUs; did you mean ${guess ?? "Standard_NC4as_T4_v3"}?`);
  }
});

const gpuPool = z.strictObject({
  name: z
    .string()
    .regex(
      poolPrefixPattern,
      "use up to 8 lower-case letters and digits, a letter first: AKS allows 12, four of them are a hash",
    )
    .describe("Name of the pool, up to 8 lower-case letters and digits."),
  vmSize: gpuVmSize.default("Standard_NC4as_T4_v3").describe("VM size with NVIDIA GPUs."),
  autoscaling: z.boolean().default(true).describe("Whether the cluster autoscaler sets the number of nodes."),
  min: z.int().min(0).max(1000).optional().describe("Fewest nodes with autoscaling; default 0."),
  max: z.int().min(1).max(1000).optional().describe("Most nodes with autoscaling; default 2 in `dev`, 12 in `prod`."),
  count: z.int().min(0).max(1000).optional().describe("Number of nodes without autoscaling."),
  spot: z.boolean().default(false).describe("Spot capacity: cheaper, evicted at any time with 30 seconds' notice."),
  zones: zones.describe("Availability zones; GPU sizes are often offered in some zones only."),
  migProfile: z
    .enum(["MIG1g", "MIG2g", "MIG3g", "MIG4g", "MIG7g"])
    .optional()
    .describe("Splits each GPU (A100, H100, H200) into slices of this profile."),
  driver: z
    .enum(["Install", "None"])
    .default("Install")
    .describe("Whether AKS installs the NVIDIA driver; `None` when a GPU operator does."),
  osDiskType: z
    .enum(["Ephemeral", "Managed"])
    .optional()
    .describe("Default: `Ephemeral` where the size's local disk holds image and models, else `Managed`."),
  osDiskSizeGiB: z
    .int()
    .min(30)
    .max(2048)
    .default(128)
    .describe("OS disk, which holds images, model volumes and logs."),
  spareQuota: z
    .int()
    .min(0)
    .max(10)
    .default(0)
    .describe("Extra nodes of this size that quota allows during an upgrade; 0 upgrades in place, one node at a time."),
});

export type GpuPoolInput = z.output<typeof gpuPool>;

export const gpuPools = z
  .array(gpuPool)
  .min(1, "name at least one GPU pool")
  .default([gpuPool.parse({ name: "t4" })])
  .describe("GPU node pools of each region, by default one of T4 GPUs.");
