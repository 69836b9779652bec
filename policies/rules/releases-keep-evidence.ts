import { resourceRule } from "../support/rule";
import { helmRelease } from "../support/types";

export const releasesKeepEvidence = resourceRule({
  name: "releases-keep-evidence",
  description: "A failed Helm release stays as it is, with the pods that tell why.",
  enforcementLevel: "mandatory",
  severity: "medium",
  remediationSteps:
    "Leave atomic and cleanupOnFail off: both delete the failing pods before anybody reads their messages.",
  on: helmRelease,
  check: ({ inputs }) => {
    for (const option of ["atomic", "cleanupOnFail"]) {
      inputs.mayOnly(option, (value) => value === false, "must be false");
    }
  },
});
