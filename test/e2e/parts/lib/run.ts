import { spawn } from "node:child_process";
import { deadline } from "./deadline";

export interface RunOptions {
  readonly cwd?: string;
  readonly env?: NodeJS.ProcessEnv;
  readonly input?: string;
  /** Milliseconds after which the program is ended and the call fails. Default: none. */
  readonly timeoutMs?: number;
}

export interface RunResult {
  readonly stdout: string;
  readonly stderr: string;
  /** Exit code; 128 plus the signal's number is not used, a signal gives -1. */
  readonly code: number;
}

/** Runs a program to its end and returns what it wrote, whatever its exit code; fails only when it cannot start or is out of time. */
export function tryRun(command: string, args: readonly string[], options: RunOptions = {}): Promise<RunResult> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd: options.cwd, env: options.env, stdio: ["pipe", "pipe", "pipe"] });
    let stdout = "";
    let stderr = "";
    let timedOut = false;
    const timeoutMs = options.timeoutMs === undefined ? undefined : deadline(options.timeoutMs);
    const end = (): void => {
      timedOut = true;
      child.kill("SIGKILL");
    };
    const timer = timeoutMs === undefined ? undefined : setTimeout(end, timeoutMs);
    child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
    child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
    child.on("error", (error) => {
      clearTimeout(timer);
      reject(new Error(`${command} could not be started: ${error.message}`));
    });
    child.on("close", (code) => {
      clearTimeout(timer);
      if (timedOut) {
        reject(new Error(`${line(command, args)} was ended after ${String(timeoutMs)} ms\n${stderr.slice(-2000)}`));
        return;
      }
      resolve({ stdout, stderr, code: code ?? -1 });
    });
    // A program may end without reading its input; that is no error of ours.
    child.stdin.on("error", () => undefined);
    child.stdin.end(options.input ?? "");
  });
}

/** Runs a program and returns its standard output; fails with the end of its standard error when it exits with another code than 0. */
export async function run(command: string, args: readonly string[], options: RunOptions = {}): Promise<string> {
  const { stdout, stderr, code } = await tryRun(command, args, options);
  if (code !== 0) {
    throw new Error(
      `${line(command, args)} exited with ${String(code)}\n${(stderr === "" ? stdout : stderr).slice(-4000)}`,
    );
  }
  return stdout;
}

const line = (command: string, args: readonly string[]): string => [command, ...args].join(" ").slice(0, 300);
