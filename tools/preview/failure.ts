import * as path from "node:path";
import { stripVTControlCharacters } from "node:util";
import { type ProgramResult } from "./engine/program";
import { type LogMessage } from "./engine/recording";

/** Why a program did not come to its end. */
export interface Failure {
  /** `configuration` when the stack's own values are to blame, `program` when the code is. */
  kind: "configuration" | "program";
  /** What to show, one text an error, without frames of libraries. */
  messages: string[];
}

/** The failure of a finished program; undefined when it succeeded. As with Pulumi, a logged error fails a run. */
export function failureOf(
  result: ProgramResult,
  logs: readonly LogMessage[],
  project: string,
  root: string,
): Failure | undefined {
  const errors = [...new Set(logs.filter((log) => log.severity === "error").map((log) => log.message))];
  if (result.exitCode === 0 && errors.length === 0) return undefined;
  const fromConfiguration = errors.length > 0 && errors.every((message) => isConfigurationError(message, project));
  const messages = errors.map((message) => readable(message, root));
  if (messages.length === 0) messages.push(silentFailure(result, root));
  return { kind: fromConfiguration ? "configuration" : "program", messages };
}

/**
 * Configuration errors name their keys: one problem a line as `project:key: what is wrong`, or one of the texts of
 * Pulumi's own `Config`.
 */
function isConfigurationError(message: string, project: string): boolean {
  const text = withoutPreamble(message);
  const problems = text.split("\n").filter((line) => line.trimStart().startsWith(`${project}:`));
  const isProblem = (line: string) => /^\s*[\w-]+:[\w.[\]-]+: \S/.test(line);
  return (
    (problems.length > 0 && problems.every(isProblem)) || /^(Missing required configuration|Configuration ')/.test(text)
  );
}

/** What Pulumi's runner writes before the error of a program. */
const preamble = /^Running program '[^']*' failed with an unhandled exception:\n/;

function withoutPreamble(message: string): string {
  return stripVTControlCharacters(message)
    .replace(preamble, "")
    .replace(/^(Uncaught )?ConfigurationError: /, "");
}

/**
 * The message of an error and the frames that are the user's own, with paths relative to the project. Node.js prints
 * an error with its fields and the frames of its causes; of those only the messages stay.
 */
export function readable(message: string, root: string): string {
  const lines: string[] = [];
  let inFields = false;
  for (const line of withoutPreamble(message).split("\n")) {
    const isFrame = /^\s+at /.test(line);
    const cause = /^\s*\[(?:cause|errors)\]: (.*)$/.exec(line)?.[1];
    if (cause !== undefined) lines.push(`  caused by ${cause}`);
    else if (isFrame && !inFields && isOwn(line, root)) lines.push(relative(line.replace(/ {$/, ""), root));
    else if (!isFrame && !inFields && !/^\s+\.\.\. \d+ lines matching/.test(line)) lines.push(relative(line, root));
    if (isFrame && line.endsWith("{")) inFields = true;
  }
  return lines.join("\n").trimEnd();
}

/** Frames of the project, without libraries and what loads the TypeScript files. */
function isOwn(frame: string, root: string): boolean {
  return frame.includes(root + path.sep) && !/[/\\](node_modules[/\\]|register\.cjs:)/.test(frame);
}

function relative(text: string, root: string): string {
  return text.replaceAll(root + path.sep, "");
}

/** Programs may end without a word to the engine: a module is missing, or `process.exit` was called. */
function silentFailure({ exitCode, stderr }: ProgramResult, root: string): string {
  const ending =
    exitCode === null ? "the program was ended by a signal" : `the program ended with exit code ${exitCode}`;
  const said = relative(stripVTControlCharacters(stderr).trim(), root);
  return said === "" ? `${ending} and said nothing` : `${ending}:\n${said}`;
}
