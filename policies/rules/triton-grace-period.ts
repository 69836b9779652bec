import type { Inputs } from "../support/inputs";
import { resourceRule } from "../support/rule";
import { inTriton, optionOf, type TritonContainer, tritonHosts } from "../support/triton";

/** Triton's own default of --exit-timeout-secs, and Kubernetes' of terminationGracePeriodSeconds. */
const defaults = { exitTimeout: 30, gracePeriod: 30 } as const;

const isPositive = (value: unknown): boolean => typeof value === "number" && value > 0;

export const tritonGracePeriod = resourceRule({
  name: "triton-grace-period",
  description: "Triton leaves its Services first, then ends its requests, and is killed only after both.",
  enforcementLevel: "mandatory",
  severity: "medium",
  remediationSteps:
    "Set a preStop handler, and terminationGracePeriodSeconds above its seconds plus --exit-timeout-secs; in the chart: " +
    "shutdown.preStopSeconds, shutdown.marginSeconds and triton.exitTimeoutSeconds above 0.",
  on: tritonHosts,
  check: inTriton(checkValues, checkContainer),
});

/** The chart adds the three up to the grace period. */
function checkValues(values: Inputs): void {
  for (const path of ["shutdown.preStopSeconds", "shutdown.marginSeconds", "triton.exitTimeoutSeconds"]) {
    values.must(path, isPositive, "must be above 0");
  }
}

function checkContainer({ pod, container, words }: TritonContainer): void {
  const preStop = preStopSeconds(container);
  if (preStop === undefined) {
    container.report(
      "lifecycle.preStop",
      "is missing, or no sleep of some seconds; requests still arrive when Triton ends",
    );
    return;
  }
  const exitTimeout = Number(optionOf(words, "exit-timeout-secs") ?? defaults.exitTimeout);
  const needed = preStop + exitTimeout;
  const grace = Number(pod.get("terminationGracePeriodSeconds") ?? defaults.gracePeriod);
  if (grace > needed) return;
  pod.report(
    "terminationGracePeriodSeconds",
    `is ${grace}, not above preStop (${preStop}) plus --exit-timeout-secs (${exitTimeout}); make it more than ${needed}`,
  );
}

function preStopSeconds(container: Inputs): number | undefined {
  const sleep = container.get("lifecycle.preStop.sleep.seconds");
  const command = container.get("lifecycle.preStop.exec.command");
  const words: unknown[] = Array.isArray(command) ? command : [];
  const seconds = sleep ?? /\bsleep (\d+)/.exec(words.join(" "))?.[1];
  return Number(seconds) > 0 ? Number(seconds) : undefined;
}
