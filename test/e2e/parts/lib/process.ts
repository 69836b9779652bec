import { spawn, type ChildProcess } from "node:child_process";
import * as fs from "node:fs";
import * as path from "node:path";
import { deadline } from "./deadline";

export interface PartCommand {
  /** Name in messages, and of the log file. */
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env?: NodeJS.ProcessEnv;
  readonly cwd?: string;
  /** Folder of the log file `<name>.log`, which every start appends to. */
  readonly logs: string;
}

/** A started part: one process of ours that writes to its own log. */
export class PartProcess {
  /** Settles when the process has ended, with its exit code, or null after a signal. */
  readonly ended: Promise<number | null>;
  readonly logFile: string;
  private readonly child: ChildProcess;
  private stopping = false;

  constructor(private readonly command: PartCommand) {
    const { name, args, env, cwd, logs } = command;
    fs.mkdirSync(logs, { recursive: true });
    this.logFile = path.join(logs, `${name}.log`);
    const log = fs.openSync(this.logFile, "a");
    this.child = spawn(command.command, args, { env, cwd, stdio: ["ignore", log, log] });
    fs.closeSync(log);
    this.ended = new Promise((resolve) => {
      this.child.once("exit", (code) => {
        if (!this.stopping) process.stderr.write(`${name} ended by itself (code ${String(code)}): ${this.logFile}\n`);
        resolve(code);
      });
      this.child.once("error", (error) => {
        fs.appendFileSync(this.logFile, `could not be started: ${error.message}\n`);
        resolve(null);
      });
    });
  }

  get pid(): number {
    return this.child.pid ?? -1;
  }

  get running(): boolean {
    return this.child.pid !== undefined && this.child.exitCode === null && this.child.signalCode === null;
  }

  /** Asks the process to end, and kills it when it has not after `graceMs`. */
  async stop(signal: NodeJS.Signals = "SIGTERM", graceMs = 10_000): Promise<void> {
    this.stopping = true;
    if (!this.running) return;
    this.child.kill(signal);
    const timer = setTimeout(() => this.child.kill("SIGKILL"), graceMs);
    await this.ended;
    clearTimeout(timer);
  }

  /** Ends the process as a crash would. */
  kill(): Promise<void> {
    return this.stop("SIGKILL");
  }

  /**
   * Waits until `check` returns true. Fails at once, with the end of the log, when the process ends before; whenever it
   * fails, the process is stopped.
   */
  async ready(check: () => Promise<boolean>, timeoutMs = 60_000): Promise<void> {
    const { name } = this.command;
    const checkRunning = (): Promise<boolean> => {
      if (!this.running) throw new Error(`${name} ended before it was ready.\n${this.logTail()}`);
      return check();
    };
    try {
      await until(`${name} is ready`, checkRunning, { timeoutMs, onTimeout: () => this.logTail() });
    } catch (error) {
      await this.stop();
      throw error;
    }
  }

  private logTail(): string {
    const lines = fs.readFileSync(this.logFile, "utf8").trimEnd().split("\n").slice(-15);
    return `Last lines of ${this.logFile}:\n${lines.join("\n")}`;
  }
}

export interface WaitOptions {
  readonly timeoutMs: number;
  readonly everyMs?: number;
  /** More for the message of a time-out. */
  readonly onTimeout?: () => string | Promise<string>;
}

/** Waits until `check` returns true. What it throws ends the wait; a check that may fail for a while catches that itself. */
export async function until(
  what: string,
  check: () => boolean | Promise<boolean>,
  options: WaitOptions,
): Promise<void> {
  const { everyMs = 100, onTimeout } = options;
  const timeoutMs = deadline(options.timeoutMs);
  const end = Date.now() + timeoutMs;
  while (!(await check())) {
    if (Date.now() > end) {
      const more = onTimeout === undefined ? "" : `\n${await onTimeout()}`;
      throw new Error(`Waited ${String(timeoutMs / 1000)} s in vain until ${what}.${more}`);
    }
    await new Promise((resolve) => setTimeout(resolve, everyMs));
  }
}
