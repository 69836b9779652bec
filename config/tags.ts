import { z } from "zod";

export const tags = z
  .record(
    z.string().regex(/^[^<>%&\\?/]{1,128}$/, "tag names have up to 128 characters and none of <>%&\\?/"),
    z.string().max(256, "tag values have up to 256 characters"),
  )
  .default({})
  .describe("Tags on every Azure resource, beside `project`, `stack`, `environment` and `managed-by`.");
