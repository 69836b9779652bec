import { z } from "zod";
import { publicIpRange } from "./scalars";

export const modelStore = z
  .strictObject({
    auth: z
      .enum(["workload-identity", "account-key"])
      .default("workload-identity")
      .describe(
        "How Triton reads: `workload-identity` without any key (image 26.05 or later), or `account-key` for older images.",
      ),
    replication: z
      .enum(["LRS", "ZRS", "GRS", "GZRS"])
      .optional()
      .describe("Copies of the data; default `LRS` in `dev`, `ZRS` in `prod`."),
    network: z
      .enum(["service-endpoint", "private-endpoint"])
      .default("service-endpoint")
      .describe(
        "Route of the pods to the account. `private-endpoint` closes the public address and needs `access.runner: private`.",
      ),
    publisherIpRanges: z
      .array(publicIpRange)
      .default([])
      .describe(
        "Public addresses from which releases are published. Rules do not apply to traffic from the account's own location.",
      ),
    softDeleteDays: z
      .int()
      .min(1)
      .max(365)
      .default(14)
      .describe("Days that deleted blobs and containers can be restored."),
    versionDays: z
      .int()
      .min(1)
      .max(3650)
      .default(30)
      .describe("Days that former versions and snapshots of blobs are kept."),
  })
  .prefault({})
  .describe("Blob Storage account of each region, with container `model-repository`.");
