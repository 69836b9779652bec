import { z } from "zod";

export const environment = z
  .enum(["dev", "prod"])
  .default("prod")
  .describe(
    "`prod` protects what holds data from deletion, purge-protects the vault, replicates over zones and insists on safe " +
      "deadlines; `dev` can be thrown away.",
  );
