import * as fs from "node:fs";
import { createRequire } from "node:module";
import * as path from "node:path";
import { parseArgs } from "node:util";
import type * as ManifestsModule from "./manifests";
import { checkWritable, OutputPathError, writeWhole } from "./output-files";
import { preview } from "./preview";
import type * as ReportModule from "./report";
import { exitCodes, ReportedError } from "./reported-error";
import { readStack, stackChoice } from "./stack-file";
import { painter, ProgressLine, wantsColor } from "./terminal";

const usage = `Shows what a stack would create, checked against the policies. Needs no cloud account, no cluster and no Pulumi CLI.

Usage: npm run preview -- [options]

  --stack NAME|PATH   stack to preview: a name (Pulumi.NAME.yaml) or the path of a stack file; default dev
  --json FILE         also write the plan as JSON
  --manifests DIR     also write the Kubernetes objects as YAML files; local charts need helm on PATH or in HELM
  --no-color          no colours, even on a terminal
  --help              this text

Exit code: 0 fine; 1 a mandatory policy is violated or the configuration is wrong; 2 wrong usage; 3 the program failed.
`;

interface Arguments {
  stack: string;
  json?: string | undefined;
  manifests?: string | undefined;
  color: boolean;
  help: boolean;
}

/** Loads modules that are needed only after the program: before it starts, each of them is waiting time. */
const later = createRequire(__filename);

/** Wrong usage of the command line; the message says what to do. */
class UsageError extends ReportedError {
  constructor(message: string) {
    super(`${message}\n\n${usage}`, exitCodes.usage);
  }
}

function readArguments(args: string[]): Arguments {
  try {
    const { values } = parseArgs({
      args,
      options: {
        stack: { type: "string", default: "dev" },
        json: { type: "string" },
        manifests: { type: "string" },
        "no-color": { type: "boolean", default: false },
        help: { type: "boolean", short: "h", default: false },
      },
    });
    const { stack, json, manifests, help, "no-color": plain } = values;
    return { stack, json, manifests, color: !plain, help };
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

/** The nearest folder upwards that holds `Pulumi.yaml`. */
function projectRoot(): string {
  for (let folder = process.cwd(); ; folder = path.dirname(folder)) {
    if (fs.existsSync(path.join(folder, "Pulumi.yaml"))) return folder;
    if (folder === path.dirname(folder)) throw new UsageError("there is no Pulumi.yaml here or in a folder above");
  }
}

async function run(args: Arguments, signal: AbortSignal): Promise<number> {
  const started = performance.now();
  const root = projectRoot();
  const settings = readStack(stackChoice(args.stack), root);
  if (args.json !== undefined) checkWritable(args.json);
  if (args.manifests !== undefined) checkFolder(args.manifests);

  const line = new ProgressLine(process.stderr);
  const result = await preview({
    settings,
    signal,
    filledIn: args.manifests !== undefined,
    onProgress: (text) => {
      line.show(text);
    },
  }).finally(() => {
    line.clear();
  });
  if (signal.aborted) return exitCodes.programFailed;

  const paintError = painter(wantsColor(process.stderr, args.color));
  if (result.failure !== undefined) {
    const { kind, messages } = result.failure;
    const title = kind === "configuration" ? `${settings.file} cannot be used` : "The program failed";
    process.stderr.write(`${paintError("red", title)}\n\n${messages.join("\n\n")}\n`);
    return kind === "configuration" ? exitCodes.refused : exitCodes.programFailed;
  }

  const notes: string[] = [];
  let chartRefused = false;
  if (args.json !== undefined) {
    writeWhole(args.json, `${JSON.stringify(result.plan, null, 2)}\n`);
    notes.push(`Plan written to ${args.json}`);
  }
  if (args.manifests !== undefined) {
    const { findHelm, writeManifests } = later("./manifests") as typeof ManifestsModule;
    const written = writeManifests(result.filledIn, args.manifests, root, findHelm());
    chartRefused = written.refused.length > 0;
    notes.push(...written.notes, ...written.refused, `${written.files.length} manifests written to ${args.manifests}`);
  }
  const elapsed = performance.now() - started;
  const { report } = later("./report") as typeof ReportModule;
  process.stdout.write(report({ ...result, elapsed, notes }, painter(wantsColor(process.stdout, args.color))));
  const refused = result.plan.policies.some((violation) => violation.level === "mandatory");
  return refused || chartRefused ? exitCodes.refused : exitCodes.fine;
}

function checkFolder(folder: string): void {
  const found = fs.statSync(folder, { throwIfNoEntry: false });
  if (found !== undefined && !found.isDirectory())
    throw new OutputPathError(`cannot write into ${folder}: it is a file`);
  if (found === undefined) checkWritable(folder);
}

async function main(): Promise<number> {
  const interrupted = new AbortController();
  let stopCode: number | undefined;
  for (const [name, code] of [
    ["SIGINT", 130],
    ["SIGTERM", 143],
  ] as const) {
    process.once(name, () => {
      stopCode = code;
      interrupted.abort();
    });
  }
  try {
    const args = readArguments(process.argv.slice(2));
    if (args.help) {
      process.stdout.write(usage);
      return exitCodes.fine;
    }
    const code = await run(args, interrupted.signal);
    return stopCode ?? code;
  } catch (error) {
    if (stopCode !== undefined) return stopCode;
    return explain(error);
  }
}

/** Tells what went wrong, and answers the exit code for it. */
function explain(error: unknown): number {
  if (error instanceof ReportedError) {
    process.stderr.write(`${error.message}\n`);
    return error.exitCode;
  }
  process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
  return exitCodes.programFailed;
}

void main().then((code) => {
  process.exitCode = code;
});
