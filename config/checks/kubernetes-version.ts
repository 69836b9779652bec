import {
  isPatchPin,
  kubernetesSupport,
  kubernetesVersionsAsOf,
  supportedKubernetesVersions,
} from "../../core/kubernetes-versions";
import type { Problem } from "../problem";
import { check } from "./check";

/** A cluster of a version out of support cannot be created, and one that runs cannot be repaired. */
export const kubernetesVersion = check(["cluster"], ({ cluster }) => {
  const key = "cluster.kubernetesVersion";
  const version = cluster.kubernetesVersion;
  const current = supportedKubernetesVersions.join(" or ");
  const { status, minor, endOfSupport } = kubernetesSupport(version);
  const problems: Problem[] = [];
  if (status === "lts-only" && cluster.tier !== "Premium") {
    problems.push({
      key,
      message: `${minor} left standard support (${endOfSupport}); use ${current}, or cluster.tier Premium for long-term support`,
    });
  } else if (status === "retired") {
    problems.push({ key, message: `AKS no longer supports ${minor}; use ${current}` });
  } else if (status === "unknown" || status === "preview") {
    problems.push({
      key,
      message: `${minor} is not among the versions known on ${kubernetesVersionsAsOf} (${current}); check that the region offers it`,
      severity: "warning",
    });
  }
  if (isPatchPin(version)) {
    problems.push({
      key,
      message: `${version} pins a patch, which ages out within months; write ${minor}`,
      severity: "warning",
    });
  }
  return problems;
});
