import { z } from "zod";
import { access } from "./access";
import { autoscaling } from "./autoscaling";
import { cluster } from "./cluster";
import { environment } from "./environment";
import { gpuPools } from "./gpu-pools";
import { machineLearning } from "./machine-learning";
import { modelStore } from "./model-store";
import { network } from "./network";
import { regions } from "./regions";
import { release, releases } from "./releases";
import { suffix } from "./suffix";
import { tags } from "./tags";
import { triton } from "./triton";

/** Namespace of the keys in a stack file: `triton-azure:regions`. */
export const namespace = "triton-azure";

/** The schema of each key, in the order in which documents list them. */
export const schemas = {
  suffix,
  environment,
  regions,
  access,
  network,
  cluster,
  gpuPools,
  modelStore,
  machineLearning,
  triton,
  autoscaling,
  releases,
  release,
  tags,
} as const;

export type Key = keyof typeof schemas;

export const keys = Object.keys(schemas) as Key[];

/**
 * Key of Triton's admin key, a secret, which the schemas above never see: it must not pass through plain values.
 * `index.ts` reads it; the other keys only learn whether it is there.
 */
export const adminKey = "adminKey";

/** What the keys hold once each is valid by itself and has its defaults. */
export type Values = { readonly [K in Key]: z.output<(typeof schemas)[K]> };

/** The whole contract as JSON Schema, for editors and documents. */
export const jsonSchema = (): z.core.JSONSchema.BaseSchema =>
  z.toJSONSchema(z.strictObject(schemas), { io: "input", unrepresentable: "any" });
