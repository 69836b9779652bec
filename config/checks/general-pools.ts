import { gpuSize, retiredSize } from "../../core/vm-sizes";
import type { Problem } from "../problem";
import { check } from "./check";

/** The pools of add-ons and helpers: bounds that AKS takes, and sizes that can be had and cost no GPU. */
export const generalPools = check(["cluster"], ({ cluster }) => {
  const problems: Problem[] = [];
  for (const name of ["systemPool", "userPool"] as const) {
    const { vmSize, min, max } = cluster[name];
    const key = `cluster.${name}`;
    const retired = retiredSize(vmSize);
    if (min > max) problems.push({ key: `${key}.min`, message: `${min} is more than max, ${max}` });
    if (retired !== undefined) {
      problems.push({
        key: `${key}.vmSize`,
        message: `${vmSize} was retired on ${retired.retiredOn}; use Standard_D4ds_v5`,
      });
    } else if (gpuSize(vmSize) !== undefined) {
      problems.push({
        key: `${key}.vmSize`,
        message: `${vmSize} has GPUs, which nothing here would use; use Standard_D4ds_v5`,
      });
    }
  }
  return problems;
});
