import type { Inputs } from "../support/inputs";
import { resourceRule, type Subject } from "../support/rule";
import { inTriton, type TritonContainer, tritonHosts } from "../support/triton";

interface Settings {
  readonly minStartupSeconds: number;
}

const isPositive = (value: unknown): boolean => typeof value === "number" && value > 0;

/** Triton opens its port only when its models are loaded, so the start-up probe alone keeps liveness from killing it. */
export const tritonProbes = resourceRule<Settings>({
  name: "triton-probes",
  description: "Triton has a start-up probe with time to load models, and liveness that does not depend on models.",
  enforcementLevel: "mandatory",
  severity: "high",
  remediationSteps:
    "Probe start-up and readiness at /v2/health/ready and liveness at /v2/health/live; raise the start-up budget " +
    "(triton.startup in the stack, startup.budgetSeconds in the chart).",
  configSchema: {
    properties: {
      minStartupSeconds: {
        type: "integer",
        minimum: 1,
        default: 300,
        description: "Least time that a container gets to load its models.",
      },
    },
  },
  on: tritonHosts,
  check: inTriton(checkValues, checkContainer),
});

function checkValues(values: Inputs, { minStartupSeconds }: Settings): void {
  values.must(
    "startup.budgetSeconds",
    (seconds) => typeof seconds === "number" && seconds >= minStartupSeconds,
    `must be ${minStartupSeconds} or more`,
  );
  for (const path of [
    "startup.periodSeconds",
    ...["readiness", "liveness"].flatMap((probe) =>
      ["periodSeconds", "timeoutSeconds", "failureThreshold"].map((field) => `${probe}.${field}`),
    ),
  ]) {
    values.must(path, isPositive, "must be above 0");
  }
}

function checkContainer({ container }: TritonContainer, { config, report }: Subject<Settings>): void {
  container.mustBe("startupProbe.httpGet.path", "/v2/health/ready");
  container.mustBe("readinessProbe.httpGet.path", "/v2/health/ready");
  container.mustBe("livenessProbe.httpGet.path", "/v2/health/live");
  if (!container.has("startupProbe")) return;
  // Kubernetes' defaults for what is left out.
  const number = (field: string, otherwise: number) => Number(container.get(`startupProbe.${field}`) ?? otherwise);
  const seconds = number("periodSeconds", 10) * number("failureThreshold", 3);
  if (seconds >= config.minStartupSeconds) return;
  report(`startupProbe gives ${seconds} s to load models; allow ${config.minStartupSeconds} s or more`);
}
