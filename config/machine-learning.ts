import { z } from "zod";
import { location } from "./scalars";

export const machineLearning = z
  .strictObject({
    enabled: z
      .boolean()
      .default(true)
      .describe("Whether there is an Azure ML workspace with its vault, storage and insights."),
    location: location
      .optional()
      .describe(
        "Location of the workspace, container registry and other things there is one of; required with several regions.",
      ),
    logRetentionDays: z
      .int()
      .min(30)
      .max(730)
      .default(30)
      .describe("Days that the Log Analytics workspace keeps logs."),
    logDailyCapGiB: z
      .number()
      .min(0.1)
      .max(1000)
      .default(5)
      .describe("Most log data a day, in GiB: a bound on its cost."),
  })
  .prefault({})
  .describe("Azure ML workspace, where releases and their models are registered.");
