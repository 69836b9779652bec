import type { Problem } from "../problem";
import type { Values } from "../schema";
import { addressRanges } from "./address-ranges";
import { autoscalingBounds } from "./autoscaling";
import type { Check } from "./check";
import { exampleValues } from "./example-values";
import { generalPools } from "./general-pools";
import { gpuPoolSettings } from "./gpu-pools";
import { kubernetesVersion } from "./kubernetes-version";
import { locations } from "./locations";
import { production } from "./production";
import { releaseRecords } from "./releases";
import { replicasFit } from "./replicas-fit";
import { runner } from "./runner";
import { startupBudget } from "./startup-budget";
import { reservedTags } from "./tags";
import { tritonOptions } from "./triton";

const checks = [
  exampleValues,
  locations,
  addressRanges,
  runner,
  kubernetesVersion,
  generalPools,
  gpuPoolSettings,
  tritonOptions,
  releaseRecords,
  startupBudget,
  autoscalingBounds,
  replicasFit,
  production,
  reservedTags,
] as readonly Check[];

export function checkAll(values: Partial<Values>, hasAdminKey: boolean): Problem[] {
  return checks
    .filter(({ needs }) => needs.every((key) => values[key] !== undefined))
    .flatMap(({ find }) => find(values as Values, { hasAdminKey }));
}
