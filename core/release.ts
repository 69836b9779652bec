import { z } from "zod";

/** Ids become a folder name, a Kubernetes label and a tag in Azure ML; this is what all of them allow. */
export const releaseIdPattern = /^[a-z0-9](?:[a-z0-9-]{0,38}[a-z0-9])?$/;

const servedModel = z
  .strictObject({
    name: z
      .string()
      .regex(
        /^[A-Za-z0-9][A-Za-z0-9_.-]{0,254}$/,
        "use letters, digits, '_', '-' and '.', starting with a letter or digit",
      )
      .describe("Name of the model: its folder in the repository."),
    versions: z
      .array(z.int().positive("version folders are numbers from 1"))
      .min(1, "a model needs at least one version")
      .describe("Version folders that the release holds."),
    platform: z
      .string()
      .min(1)
      .optional()
      .describe("Triton `platform`, such as `onnxruntime_onnx`; this or `backend`."),
    backend: z.string().min(1).optional().describe("Triton `backend`, such as `python`; this or `platform`."),
    description: z.string().max(1000).optional().describe("Shown in the Azure ML model registry."),
    tags: z.record(z.string(), z.string()).default({}).describe("Tags of the model in the Azure ML model registry."),
  })
  .refine((model) => model.platform !== undefined || model.backend !== undefined, {
    error: "name the model's `platform` or its `backend`",
  });

/** One immutable model release, as `releases` of the stack file and `release.json` in the container record it. */
export const releaseSchema = z.strictObject({
  id: z
    .string()
    .regex(releaseIdPattern, "use up to 40 lower-case letters, digits and hyphens")
    .describe("Id of the release: the folder `releases/<id>` of the container."),
  sizeBytes: z.int().positive().describe("Total size of the release's files, in bytes."),
  models: z.array(servedModel).min(1, "a release needs at least one model").describe("Models in the release."),
});

export type Release = z.output<typeof releaseSchema>;

/**
 * Name of a model in the Azure ML registry, which allows no dots. Two models that would meet under one name are refused by
 * the configuration.
 */
export const azureMlModelName = (model: string): string => model.replace(/[^A-Za-z0-9_-]/g, "-");

/**
 * Model of the Azure ML registry whose versions are whole releases: a `triton_model` is a repository, not one model. No model
 * of a release may have its name.
 */
export const repositoryModel = "triton-repository";

/** What tells models apart in the registry: Azure Resource Manager takes names that differ in letter case for one. */
export const registryIdentity = (model: string): string => azureMlModelName(model).toLowerCase();
