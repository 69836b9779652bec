import * as fs from "node:fs";
import { createRequire } from "node:module";
import * as path from "node:path";
import type * as EngineModule from "./engine/engine";
import { type ProgramResult, runProgram } from "./engine/program";
import { type Recording, type Resource } from "./engine/recording";
import { listen } from "./engine/server";
import type * as StandInModule from "./engine/stand-in";
import type * as FindingsModule from "./findings";
import { type Findings } from "./findings";
import { type StackSettings } from "./stack-file";

/** Loads modules at the moment they are asked for. */
const later = createRequire(__filename);

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
  /** Fulfilled when the program is about to load its modules, or has ended before. */
  loading: Promise<void>;
  finished: Promise<Execution>;
  stop: () => void;
}

async function start(
  settings: StackSettings,
  dryRun: boolean,
  signal: AbortSignal | undefined,
  onResource: (resource: Resource) => void,
): Promise<Running> {
  const { server, address, close } = await listen();
  const stopped = new AbortController();
  const stop = () => {
    stopped.abort();
  };
  if (signal?.aborted === true) stop();
  signal?.addEventListener("abort", stop, { once: true });
  const ended = runProgram({ ...settings, dryRun, engineAddress: address, signal: stopped.signal });

  // Loaded while the program starts; its calls wait until this process turns to them.
  const { serve } = later("./engine/engine") as typeof EngineModule;
  const { azureStandIn } = later("./engine/stand-in") as typeof StandInModule;
  let onRunning = () => undefined as void;
  const loading = new Promise<void>((resolve) => (onRunning = resolve));
  const recording = serve(server, { ...settings, dryRun, standIn: azureStandIn, onResource, onRunning });
  const finished = ended
    .then((result) => ({ result, recording }))
    .finally(() => {
      close();
      onRunning();
    });
  return { loading, finished, stop };
}

const { transpileAhead } = later("./register.cjs") as { transpileAhead: (files: readonly string[]) => Promise<void> };

/** The TypeScript files of a folder and, as far as wanted, of the folders in it. */
function sourceFiles(folder: string, isWanted: (name: string) => boolean = () => true): string[] {
  return fs.readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const { name } = entry;
    if (entry.isFile()) return name.endsWith(".ts") && !name.endsWith(".d.ts") ? [path.join(folder, name)] : [];
    const isSource = entry.isDirectory() && name !== "node_modules" && !name.startsWith(".") && isWanted(name);
    return isSource ? sourceFiles(path.join(folder, name)) : [];
  });
}

/**
 * Transpiles what the program and the policies are made of, in case nobody has done so yet. The program does the same at
 * this time, so start where it will come last.
 */
async function prepareSources(root: string): Promise<void> {
  const program = sourceFiles(root, (name) => !["policies", "test", "tools"].includes(name));
  await transpileAhead(program.reverse());
  await transpileAhead(sourceFiles(root, (name) => name === "policies"));
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
    await dry.loading;
    await prepareSources(settings.root);
    // The program is busy with its own modules by now: loading takes this process a while, in which it answers nobody.
    const { findingsOf, stackPolicies } = later("./findings") as typeof FindingsModule;
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
