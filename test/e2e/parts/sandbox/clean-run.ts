import { enterSandbox, type EnterOptions } from "./enter";
import { machineState, newSince } from "./machine-state";

export interface CleanRun {
  /** The program's exit code; 130 after Ctrl-C. */
  readonly code: number;
  /** What the run left behind on the machine, a line each; each was written to standard error. */
  readonly left: readonly string[];
}

/** Runs a TypeScript program in a sandbox, and compares the machine before and after. */
export async function cleanRun(file: string, args: readonly string[], options: EnterOptions): Promise<CleanRun> {
  const before = machineState();
  const command = [process.execPath, "-r", "ts-node/register/transpile-only", file, ...args];
  const code = await enterSandbox(command, options);
  const left = newSince(before, machineState());
  for (const line of left) process.stderr.write(`left behind: ${line}\n`);
  return { code, left };
}
