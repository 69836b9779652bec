import type { Inputs } from "../support/inputs";
import { containersOf, imageParts, podSpec, workloads } from "../support/pods";
import { resourceRule } from "../support/rule";
import { tritonValues } from "../support/triton";
import { anyOf, helmRelease } from "../support/types";

const rule = "must name a version by tag or digest, never latest";

export const imagesPinned = resourceRule({
  name: "images-pinned",
  description: "Container images are pinned by tag or digest; `latest` changes under running pods.",
  enforcementLevel: "mandatory",
  severity: "high",
  remediationSteps: "Name a version, such as 26.07-py3, or better a digest.",
  on: anyOf(workloads, helmRelease),
  check: (resource) => {
    if (helmRelease(resource.type)) {
      const values = tritonValues(resource);
      if (values) checkTriton(values);
      else checkAnyValues(resource.inputs);
      return;
    }
    const pod = podSpec(resource);
    for (const container of pod ? containersOf(pod) : []) container.must("image", isPinned, rule);
  },
});

const isVersion = (tag: unknown): boolean => typeof tag === "string" && tag !== "" && tag !== "latest";
const isDigest = (digest: unknown): boolean => typeof digest === "string" && /^sha256:[0-9a-f]{64}$/.test(digest);

function isPinned(image: unknown): boolean {
  const { tag, digest } = imageParts(String(image));
  return isDigest(digest) || (digest === undefined && isVersion(tag));
}

/** The digest wins over the tag. */
function checkTriton(values: Inputs): void {
  const digest = values.read("image.digest");
  if (digest.is === "unknown" || (digest.is === "present" && digest.value !== ""))
    values.must("image.digest", isDigest, "must be sha256: and 64 digits");
  else values.must("image.tag", isVersion, rule);
}

/** Values of other charts follow no rule but habits: a `tag`, or an `image` with one. Defaults of the chart are not seen. */
function checkAnyValues(inputs: Inputs): void {
  inputs.defer("values");
  for (const values of inputs.inside("values").objects()) {
    values.mayOnly("tag", isVersion, rule);
    const image = values.read("image");
    // Without a tag of its own it is half of a reference, whose other half is in `tag`.
    if (image.is === "present" && typeof image.value === "string" && image.value.includes(":"))
      values.must("image", isPinned, rule);
  }
}
