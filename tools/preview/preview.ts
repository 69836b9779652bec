import { createRequire } from "node:module";
import { startEngine } from "./engine/engine";
import { type ProgramResult, runProgram } from "./engine/program";
import { type Recording, type Resource } from "./engine/recording";
import { azureStandIn } from "./engine/stand-in";
import type * as FindingsModule from "./findings";
import { type Findings } from "./findings";
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

/** What a program did. */
export interface Execution {
  result: ProgramResult;
  recording: Recording;
}

/** A program that has been started. */
interface Running {
  finished: Promise<Execution>;
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
  const stop = () => {
    stopped.abort();
  };
  if (signal?.aborted === true) stop();
  signal?.addEventListener("abort", stop);
  const options = { ...settings, dryRun, engineAddress: engine.address, signal: stopped.signal };
  const finished = runProgram(options)
    .then((result) => ({ result, recording: engine.recording }))
    .finally(() => {
      engine.close();
    });
  return { finished, stop };
}

/** Runs the program of a stack dry and its policies over what it registered. Creates nothing, writes nothing. */
export async function preview({ settings, filledIn, signal, onProgress }: PreviewOptions): Promise<Findings> {
  const progress = onProgress ?? (() => undefined);
  progress("starting the program");
  let count = 0;
  const dry = await start(settings, true, signal, ({ type, name }) => {
    progress(`${++count} resources, ${type} ${name}`);
  });
  const filled = filledIn === true ? await start(settings, false, signal, () => undefined) : undefined;
  try {
    // Loaded only now, with the policies, while the program starts in a process of its own.
    const { findingsOf, stackPolicies } = createRequire(__filename)("./findings") as typeof FindingsModule;
    const policies = stackPolicies(settings);
    const [execution, other] = await Promise.all([dry.finished, filled?.finished]);
    progress("checking policies");
    return await findingsOf(settings, policies, execution, other);
  } finally {
    dry.stop();
    filled?.stop();
    await Promise.all([dry.finished, filled?.finished]);
  }
}
