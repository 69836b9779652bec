import * as path from "node:path";
import { resourceRule } from "../support/rule";
import { tritonValues } from "../support/triton";
import { helmRelease } from "../support/types";

/** An exact version, as Semantic Versioning 2.0 writes it; ranges such as `^1.2` or `1.x` are none. */
const exactVersion = /^v?\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?(\+[0-9A-Za-z.-]+)?$/;

/** Pulumi's Kubernetes provider compares inputs and the version of a chart, not what is in a local one. */
export const releasesPinned = resourceRule({
  name: "releases-pinned",
  description: "Helm releases pin their chart: a hosted one by exact version, a local one by relative path and digest.",
  enforcementLevel: "mandatory",
  severity: "high",
  remediationSteps:
    "Set version to an exact one. A local chart begins with ./ (absolute paths differ between machines), and Triton's " +
    "carries the digest of its files in values.chartDigest, or edited templates would not be deployed.",
  on: helmRelease,
  check: (resource) => {
    const { inputs, report } = resource;
    const chart = inputs.get("chart");
    if (typeof chart !== "string" || chart === "") {
      report("chart is missing; name a local path or a chart with a version");
      return;
    }
    if (path.isAbsolute(chart)) report("chart is an absolute path, which differs between machines; begin it with ./");
    const isLocal = /^\.{0,2}\//.test(chart) && !inputs.has("repositoryOpts.repo");
    if (!isLocal) inputs.must("version", (version) => exactVersion.test(String(version)), "must be an exact version");
    tritonValues(resource)?.must(
      "chartDigest",
      (digest) => typeof digest === "string" && digest !== "",
      "must be the digest of the chart's files",
    );
  },
});
