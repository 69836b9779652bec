import type { Inputs } from "../support/inputs";
import { resourceRule } from "../support/rule";
import { inTriton, optionOf, type TritonContainer, tritonHosts } from "../support/triton";

const isCloud = (url: unknown): boolean => typeof url === "string" && /^(as|s3|gs):\/\//.test(url);
const why = "poll sees no change in Blob Storage and lists it for ever; publish each release under a new path";

export const tritonNoPoll = resourceRule({
  name: "triton-no-poll",
  description: "Triton does not poll a model repository in cloud storage.",
  enforcementLevel: "mandatory",
  severity: "medium",
  remediationSteps: "Use model control mode none or explicit; a new release is a new path, and rolls the pods.",
  on: tritonHosts,
  check: inTriton(checkValues, checkContainer),
});

/** An address that is not known yet is one in the cloud. */
function checkValues(values: Inputs): void {
  values.must("triton.modelControlMode", (mode) => typeof mode === "string", "must be none, explicit or poll");
  const mode = values.read("triton.modelControlMode");
  const url = values.read("modelRepository.url");
  if (mode.is !== "present" || mode.value !== "poll") return;
  if (url.is === "unknown" || (url.is === "present" && isCloud(url.value)))
    values.report("triton.modelControlMode", `is poll: ${why}`);
}

function checkContainer({ container, words }: TritonContainer): void {
  container.defer("args");
  if (optionOf(words, "model-control-mode") !== "poll") return;
  const url = optionOf(words, "model-repository") ?? optionOf(words, "model-store");
  if (url === undefined || isCloud(url)) container.report("args", `say --model-control-mode=poll: ${why}`);
}
