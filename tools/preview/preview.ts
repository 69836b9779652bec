import { startEngine } from "./engine/engine";
import { runProgram } from "./engine/program";
import { inTreeOrder, type LogMessage, type Recording, type Resource } from "./engine/recording";
import { azureStandIn } from "./engine/stand-in";
import { secretTexts } from "./engine/values";
import { gpuCeiling } from "./ceiling";
import { type Failure, failureOf } from "./failure";
import { planOf, plannedResources, type Plan } from "./plan";
import { runPolicies, type Violation } from "./policies";
import { configured, type ConfiguredPolicy, loadRules, readPolicyConfig } from "./policy-pack";
import { type StackSettings } from "./stack-file";

export interface PreviewOptions {
  settings: StackSettings;
  /** Stops the program when it fires. */
  signal?: AbortSignal | undefined;
  /** Told about each step. */
  onProgress?: (text: string) => void;
}

/** What a preview found. */
export interface PreviewResult {
  /** What was registered up to the end, or up to the failure. */
  plan: Plan;
  /** The resources behind the plan, in the same order, secrets included: never to be shown as they are. */
  resources: Resource[];
  failure: Failure | undefined;
  /** What the program logged, without errors, secrets blacked out. */
  logs: LogMessage[];
  /** What the program printed, secrets blacked out. */
  printed: string;
  policyCount: number;
}

/** Runs the program of a stack dry and its policies over what it registered. Creates nothing, writes nothing. */
export async function preview({ settings, signal, onProgress }: PreviewOptions): Promise<PreviewResult> {
  const progress = onProgress ?? (() => undefined);
  let count = 0;
  const engine = await startEngine({
    ...settings,
    dryRun: true,
    standIn: azureStandIn,
    onResource: ({ type, name }) => {
      progress(`${++count} resources, ${type} ${name}`);
    },
  });
  try {
    progress("starting the program");
    const running = runProgram({ ...settings, dryRun: true, engineAddress: engine.address, signal });
    // The rules load while the program starts in its own process.
    const policies = stackPolicies(settings);
    const result = await running;
    const { recording } = engine;
    const failure = failureOf(result, recording.logs, settings.project, settings.root);
    progress("checking policies");
    const violations =
      failure === undefined ? await runPolicies(policies, recording.resources, recording.stackUrn) : [];
    const blackOut = blackOutFor(recording);
    const shown = (violation: Violation) => ({ ...violation, message: blackOut(violation.message) });
    const cost = gpuCeiling(plannedResources(recording));
    return {
      plan: planOf(settings, recording, violations.map(shown), cost),
      resources: inTreeOrder(recording.resources),
      failure: failure && { ...failure, messages: failure.messages.map(blackOut) },
      logs: recording.logs
        .filter(({ severity }) => severity !== "error")
        .map((log) => ({ ...log, message: blackOut(log.message) })),
      printed: blackOut(result.stdout),
      policyCount: policies.filter((policy) => policy.level !== "disabled").length,
    };
  } finally {
    engine.close();
  }
}

/** Value of the key `environment` when the stack file has none, as in `config/environment.ts`. */
const defaultEnvironment = "prod";

function stackPolicies({ root, project, config }: StackSettings): ConfiguredPolicy[] {
  const rules = loadRules(root);
  const environment = config[`${project}:environment`] ?? defaultEnvironment;
  return configured(rules, readPolicyConfig(root, environment));
}

/** Shorter texts than this are no secrets worth the name, and would black out half of a report. */
const shortestSecret = 6;

/** Removes the text of secrets from messages: programs and policies may quote what they were given. */
function blackOutFor(recording: Recording): (text: string) => string {
  const texts = new Set<string>();
  for (const { wireInputs, wireOutputs } of recording.resources) {
    secretTexts(wireInputs, texts);
    secretTexts(wireOutputs, texts);
  }
  const long = [...texts].filter((text) => text.length >= shortestSecret).sort((a, b) => b.length - a.length);
  return (text) => long.reduce((result, secret) => result.replaceAll(secret, "[secret]"), text);
}
