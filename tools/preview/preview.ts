import { startEngine } from "./engine/engine";
import { type ProgramResult, runProgram } from "./engine/program";
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
  /** Also runs the program with the stand-in for Azure, for what needs real values. */
  filledIn?: boolean;
  /** Stops the program when it fires. */
  signal?: AbortSignal | undefined;
  /** Told about each step. */
  onProgress?: (text: string) => void;
}

/** What a preview found. */
export interface PreviewResult {
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

/** A program that has been started. */
interface Running {
  finished: Promise<{ result: ProgramResult; recording: Recording }>;
  stop(): void;
}

async function start(
  settings: StackSettings,
  dryRun: boolean,
  signal: AbortSignal | undefined,
  onResource: (resource: Resource) => void,
): Promise<Running> {
  const engine = await startEngine({ ...settings, dryRun, standIn: azureStandIn, onResource });
  const stopped = new AbortController();
  signal?.addEventListener("abort", () => {
    stopped.abort();
  });
  const options = { ...settings, dryRun, engineAddress: engine.address, signal: stopped.signal };
  const finished = runProgram(options)
    .then((result) => ({ result, recording: engine.recording }))
    .finally(() => {
      engine.close();
    });
  return {
    finished,
    stop: () => {
      stopped.abort();
    },
  };
}

/** Runs the program of a stack dry and its policies over what it registered. Creates nothing, writes nothing. */
export async function preview({ settings, filledIn, signal, onProgress }: PreviewOptions): Promise<PreviewResult> {
  const progress = onProgress ?? (() => undefined);
  progress("starting the program");
  let count = 0;
  const dry = await start(settings, true, signal, ({ type, name }) => {
    progress(`${++count} resources, ${type} ${name}`);
  });
  const filled = filledIn === true ? await start(settings, false, signal, () => undefined) : undefined;
  let policies: ConfiguredPolicy[];
  try {
    // The rules take their time to load; by now the program does so too, in a process of its own.
    policies = stackPolicies(settings);
  } catch (error) {
    dry.stop();
    filled?.stop();
    await Promise.all([dry.finished, filled?.finished]);
    throw error;
  }
  const [{ result, recording }, other] = await Promise.all([dry.finished, filled?.finished]);

  const failure =
    failureOf(result, recording.logs, settings.project, settings.root) ??
    (other && failureOf(other.result, other.recording.logs, settings.project, settings.root));
  progress("checking policies");
  const violations = failure === undefined ? await runPolicies(policies, recording.resources, recording.stackUrn) : [];
  const blackOut = blackOutFor([recording, ...(other === undefined ? [] : [other.recording])]);
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
    filledIn: inTreeOrder(other?.recording.resources ?? []),
  };
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
function blackOutFor(recordings: readonly Recording[]): (text: string) => string {
  const texts = new Set<string>();
  for (const { wireInputs, wireOutputs } of recordings.flatMap((recording) => recording.resources)) {
    secretTexts(wireInputs, texts);
    secretTexts(wireOutputs, texts);
  }
  const long = [...texts].filter((text) => text.length >= shortestSecret).sort((a, b) => b.length - a.length);
  return (text) => long.reduce((result, secret) => result.replaceAll(secret, "[secret]"), text);
}
