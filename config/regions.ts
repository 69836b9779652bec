import { z } from "zod";
import { cidr, location } from "./scalars";

const region = z.strictObject({
  location: location.describe("Azure location, such as `westeurope`."),
  addressSpace: cidr
    .default("10.10.0.0/16")
    .describe(
      "Address range of the region's virtual network, /20 or larger; ranges of different regions must not overlap.",
    ),
  serving: z
    .boolean()
    .default(true)
    .describe("`false` while the region's account does not hold the release yet: everything but Triton is deployed."),
});

export const regions = z
  .array(region)
  .min(1, "name at least one region, such as `- location: westeurope`")
  .describe("Serving regions, each with its own network, cluster, model store and Triton.");

export type RegionConfig = z.output<typeof region>;
