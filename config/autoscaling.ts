import { z } from "zod";

export const autoscaling = z
  .strictObject({
    min: z.int().min(1).max(1000).default(2).describe("Fewest replicas of Triton."),
    max: z.int().min(1).max(1000).optional().describe("Most replicas of Triton; default 2 in `dev`, 10 in `prod`."),
    cpuPercent: z.int().min(1).max(100).default(70).describe("Average CPU use to hold, in percent of the request."),
    memoryPercent: z
      .int()
      .min(1)
      .max(100)
      .optional()
      .describe("Average memory use to hold, in percent of the request; unset ignores memory."),
    scaleDownWindowSeconds: z
      .int()
      .min(0)
      .max(3600)
      .optional()
      .describe(
        "Lull before replicas are taken away; default the longer of 300 and the time to load the release, 3600 at most.",
      ),
  })
  .prefault({})
  .describe("Horizontal pod autoscaler of Triton.");
