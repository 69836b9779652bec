import type { Inputs } from "../support/inputs";
import { containersOf, podSpec, workloads } from "../support/pods";
import { resourceRule } from "../support/rule";
import { tritonValues } from "../support/triton";
import { anyOf, helmRelease } from "../support/types";

const credential = /(_|^)(KEY|KEYS|SECRET|PASSWORD|TOKEN|CONNECTION_STRING|SAS)$/i;

export const noCredentialsInEnv = resourceRule({
  name: "no-credentials-in-env",
  description: "Credentials reach pods from a Kubernetes Secret, never as a plain environment variable.",
  enforcementLevel: "mandatory",
  severity: "critical",
  remediationSteps: "Use workload identity; where a key must be, take it by valueFrom.secretKeyRef from a Secret.",
  on: anyOf(workloads, helmRelease),
  check: (resource) => {
    const values = tritonValues(resource);
    const pod = podSpec(resource);
    const holders = values ? [values] : pod ? containersOf(pod) : [];
    for (const variable of holders.flatMap((holder) => holder.items("env"))) checkVariable(variable);
  },
});

/** Does not quote the value. */
function checkVariable(variable: Inputs): void {
  const name = variable.read("name");
  if (name.is === "unknown") variable.defer("name");
  if (name.is !== "present" || !credential.test(String(name.value))) return;
  if (variable.has("value"))
    variable.report("value", `of ${String(name.value)} is in plain sight; use valueFrom.secretKeyRef`);
  else if (!variable.has("valueFrom.secretKeyRef")) {
    variable.report("valueFrom.secretKeyRef", `of ${String(name.value)} is missing`);
  }
}
