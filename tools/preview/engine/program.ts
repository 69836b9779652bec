import { type ChildProcess, spawn } from "node:child_process";
import * as fs from "node:fs";
import { createRequire } from "node:module";
import * as path from "node:path";

/** How to start a Pulumi program in TypeScript. */
export interface ProgramOptions {
  /** Folder of `Pulumi.yaml`, absolute. */
  root: string;
  /** Entry point relative to `root`, as `main` in `Pulumi.yaml`; `.` for what `package.json` names. */
  main: string;
  project: string;
  stack: string;
  dryRun: boolean;
  /** Configuration by full key (`project:key`), structured values as JSON text. */
  config: Record<string, string>;
  /** Full keys of `config` whose values are secret. */
  secretKeys: readonly string[];
  /** Host and port of the engine. */
  engineAddress: string;
  /** Stops the program when it fires. */
  signal?: AbortSignal | undefined;
  /** Runs with ts-node and an untouched SDK, as the Pulumi CLI does: twice as slow, the same result. */
  asPulumiDoes?: boolean | undefined;
}

export interface ProgramResult {
  /** Exit code; null when a signal ended the program. */
  exitCode: number | null;
  stdout: string;
  stderr: string;
}

/** Loads TypeScript without ts-node, which takes longer to start than the program to run. */
const register = path.join(__dirname, "../register.cjs");

/** How long a program that was asked to end may take before it is killed, in milliseconds. */
const patience = 2000;

/**
 * Runs a program as the Pulumi CLI's language host does: by the SDK's own `cmd/run`, in a process of its own. TypeScript is
 * transpiled without type check; `npm run typecheck` is the place for that.
 */
export function runProgram(options: ProgramOptions): Promise<ProgramResult> {
  const { root, engineAddress } = options;
  const { folder, entry } = entryPoint(options);
  const sdk = createRequire(path.join(root, "package.json")).resolve("@pulumi/pulumi/cmd/run");
  const child = spawn(
    process.execPath,
    [
      ...(options.asPulumiDoes === true ? [] : ["--require", register]),
      sdk,
      `--monitor=${engineAddress}`,
      `--engine=${engineAddress}`,
      `--project=${options.project}`,
      `--stack=${options.stack}`,
      "--organization=organization",
      `--pwd=${folder}`,
      `--root-directory=${root}`,
      "--parallel=16",
      ...(options.dryRun ? ["--dry-run"] : []),
      entry,
    ],
    { cwd: folder, stdio: ["ignore", "pipe", "pipe"], env: environment(options) },
  );
  const stop = () => {
    child.kill("SIGTERM");
    setTimeout(() => child.kill("SIGKILL"), patience).unref();
  };
  if (options.signal?.aborted === true) stop();
  options.signal?.addEventListener("abort", stop, { once: true });
  return finished(child).finally(() => {
    options.signal?.removeEventListener("abort", stop);
  });
}

/** Where the Pulumi CLI starts a program: in the folder that `main` names, or that holds the file it names. */
function entryPoint({ root, main }: ProgramOptions): { folder: string; entry: string } {
  const target = path.resolve(root, main);
  if (fs.statSync(target, { throwIfNoEntry: false })?.isDirectory()) return { folder: target, entry: "." };
  return { folder: path.dirname(target), entry: path.basename(target) };
}

function finished(child: ChildProcess): Promise<ProgramResult> {
  const result: ProgramResult = { exitCode: null, stdout: "", stderr: "" };
  child.stdout?.setEncoding("utf8").on("data", (text: string) => (result.stdout += text));
  child.stderr?.setEncoding("utf8").on("data", (text: string) => (result.stderr += text));
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (exitCode) => {
      resolve({ ...result, exitCode });
    });
  });
}

/**
 * The program must see neither a cluster nor a cloud: a preview is to look the same on every machine. Settings of the
 * surrounding process that steer Node.js or Pulumi are left out for the same reason.
 */
function environment(options: ProgramOptions): NodeJS.ProcessEnv {
  const inherited = Object.entries(process.env).filter(
    ([name]) => !/^(PULUMI_|ARM_|AZURE_|KUBECONFIG$|NODE_OPTIONS$|TS_NODE_)/.test(name),
  );
  return {
    ...Object.fromEntries(inherited),
    PULUMI_CONFIG: JSON.stringify(options.config),
    PULUMI_CONFIG_SECRET_KEYS: JSON.stringify(options.secretKeys),
    PULUMI_NODEJS_PROJECT: options.project,
    PULUMI_NODEJS_STACK: options.stack,
    // `register` loads TypeScript already.
    PULUMI_NODEJS_TYPESCRIPT: String(options.asPulumiDoes === true),
    PULUMI_NODEJS_TRANSPILE_ONLY: "true",
  };
}
