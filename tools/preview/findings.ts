import { inTreeOrder, type LogMessage, type Recording, type Resource } from "./engine/recording";
import { secretTexts } from "./engine/values";
import { gpuCeiling } from "./ceiling";
import { type Failure, failureOf } from "./failure";
import { planOf, plannedResources, type Plan } from "./plan";
import { runPolicies, type Violation } from "./policies";
import { configured, type ConfiguredPolicy, loadRules, readPolicyConfig } from "./policy-pack";
import { type Execution } from "./preview";
import { type StackSettings } from "./stack-file";

/** What a preview found. */
export interface Findings {
  /** What was registered up to the end, or up to the failure. */
  plan: Plan;
  failure: Failure | undefined;
  /** What the program logged, without errors, secrets blacked out. */
  logs: LogMessage[];
  /** What the program printed, secrets blacked out. */
  printed: string;
  policyCount: number;
  /**
   * The resources of a run in which the stand-in gave what the deployment would compute: names are true where the program
   * chooses them, ids begin with zeros. Secrets included: never to be shown as they are. Empty unless asked for.
   */
  filledIn: Resource[];
}

/** Value of the key `environment` when the stack file has none, as in `config/environment.ts`. */
export const defaultEnvironment = "prod";

/** The project's policies with the settings for the environment of a stack. */
export function stackPolicies({ root, project, config }: StackSettings): ConfiguredPolicy[] {
  const rules = loadRules(root);
  const environment = config[`${project}:environment`] ?? defaultEnvironment;
  return configured(rules, readPolicyConfig(root, environment));
}

/**
 * Draws plan, policy results and the rest from what a dry run registered.
 *
 * @param filled a run of the same program with the stand-in for Azure, if there was one
 */
export async function findingsOf(
  settings: StackSettings,
  policies: readonly ConfiguredPolicy[],
  dry: Execution,
  filled: Execution | undefined,
): Promise<Findings> {
  const { result, recording } = dry;
  const executions = filled === undefined ? [dry] : [dry, filled];
  const failure = executions
    .map((run) => failureOf(run.result, run.recording.logs, settings.project, settings.root))
    .find((found) => found !== undefined);
  const violations = failure === undefined ? await runPolicies(policies, recording.resources, recording.stackUrn) : [];
  const blackOut = blackOutFor(executions.map((run) => run.recording));
  const shown = (violation: Violation) => ({ ...violation, message: blackOut(violation.message) });
  const cost = gpuCeiling(plannedResources(recording));
  return {
    plan: planOf(settings, recording, violations.map(shown), cost),
    failure: failure && { ...failure, messages: failure.messages.map(blackOut) },
    logs: recording.logs
      .filter(({ severity }) => severity !== "error")
      .map((log) => ({ ...log, message: blackOut(log.message) })),
    printed: blackOut(result.stdout),
    policyCount: policies.filter((policy) => policy.level !== "disabled").length,
    filledIn: inTreeOrder(filled?.recording.resources ?? []),
  };
}

/** Shorter texts than this are no secrets worth the name, and would black out half of a report. */
const shortestSecret = 6;

/** Removes the text of secrets from messages: programs and policies may quote what they were given. */
function blackOutFor(recordings: readonly Recording[]): (text: string) => string {
  const texts = new Set<string>();
  for (const { wireInputs, wireOutputs } of recordings.flatMap((recording) => recording.resources)) {
    secretTexts(wireInputs, texts);
    secretTexts(wireOutputs, texts);
  }
  const long = [...texts].filter((text) => text.length >= shortestSecret).sort((a, b) => b.length - a.length);
  return (text) => long.reduce((result, secret) => result.replaceAll(secret, "[secret]"), text);
}
