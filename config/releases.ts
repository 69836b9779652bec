import { z } from "zod";
import { releaseIdPattern, releaseSchema } from "../core/release";

export const releases = z
  .array(releaseSchema)
  .default([])
  .describe("Model releases that the model stores hold; written by the publishing tool.");

export const release = z
  .union([z.literal(""), z.string().regex(releaseIdPattern)], { error: "name the id of an entry in `releases`" })
  .default("")
  .describe("Id of the release to serve. Empty deploys everything but Triton; a former one rolls back.");
