import * as fs from "node:fs";
import * as path from "node:path";
import { parseDocument } from "yaml";
import { nearest } from "../../core/nearest";
import { exitCodes, ReportedError } from "./reported-error";

/** What stands where a stack file holds ciphertext: the preview has no key to open it and needs none. */
export const placeholderSecret = "[secret]";

/** A stack file or project file that cannot be used; the message says what to do. */
export class StackFileError extends ReportedError {
  constructor(message: string) {
    super(message, exitCodes.refused);
  }
}

/** A project and one of its stacks, ready to run. */
export interface StackSettings {
  project: string;
  stack: string;
  /** Folder of `Pulumi.yaml`, absolute. */
  root: string;
  /** Path of the stack file, relative to the working directory; empty when the stack has none. */
  file: string;
  /** Entry point of the program relative to `root`; `.` when `Pulumi.yaml` names none. */
  main: string;
  /** Configuration by full key, as the Pulumi CLI hands it to a program: texts, structured values as JSON. */
  config: Record<string, string>;
  /** Full keys whose values are secret, sorted. */
  secretKeys: string[];
}

type Yaml = null | boolean | number | string | Yaml[] | { [key: string]: Yaml };
type YamlMap = Record<string, Yaml>;

const isMap = (value: unknown): value is YamlMap =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Paths in messages are relative, so that they read the same on every machine. */
const shown = (file: string): string => path.relative(process.cwd(), file) || ".";

function readYaml(file: string): YamlMap {
  const document = parseDocument(fs.readFileSync(file, "utf8"));
  const [problem] = document.errors;
  if (problem !== undefined) {
    const [position] = problem.linePos ?? [];
    const where = position === undefined ? shown(file) : `${shown(file)}:${position.line}:${position.col}`;
    throw new StackFileError(`${where}: not valid YAML: ${problem.message.split("\n")[0] ?? ""}`);
  }
  const content = (document.toJS() ?? {}) as Yaml;
  if (!isMap(content)) throw new StackFileError(`${shown(file)}: must hold a mapping with the key "config"`);
  return content;
}

/** Files `Pulumi.<stack>.yaml` of a project, by stack name. */
function stackFiles(root: string): Map<string, string> {
  const found = new Map<string, string>();
  for (const file of fs.readdirSync(root).sort()) {
    const name = stackNameOf(file);
    if (name !== undefined) found.set(name, path.join(root, file));
  }
  return found;
}

function stackNameOf(file: string): string | undefined {
  return /^Pulumi\.(.+)\.ya?ml$/.exec(path.basename(file))?.[1];
}

/** A stack by its name, or the path of its file. */
export type StackChoice = { stack: string } | { path: string };

/** What a user wrote after `--stack`: a path when it looks like one. */
export function stackChoice(nameOrPath: string): StackChoice {
  const isPath = /\.ya?ml$/.test(nameOrPath) || nameOrPath.includes("/") || nameOrPath.includes(path.sep);
  return isPath ? { path: nameOrPath } : { stack: nameOrPath };
}

/** Finds the stack file; undefined when the named stack has none. */
function locate(choice: StackChoice, root: string): { stack: string; file: string | undefined } {
  if ("stack" in choice) return { stack: choice.stack, file: stackFiles(root).get(choice.stack) };
  const file = path.resolve(choice.path);
  if (!fs.statSync(file, { throwIfNoEntry: false })?.isFile()) {
    throw new StackFileError(`there is no stack file ${choice.path}`);
  }
  return { stack: stackNameOf(file) ?? path.basename(file).replace(/\.ya?ml$/, ""), file };
}

function missingStackFile(stack: string, root: string): StackFileError {
  const names = [...stackFiles(root).keys()];
  const near = nearest(stack, names);
  const hint = near === undefined ? "" : `; did you mean ${near}?`;
  const others = names.length === 0 ? "this project has no stack file yet" : `stacks here: ${names.join(", ")}`;
  return new StackFileError(`there is no stack file Pulumi.${stack}.yaml${hint} (${others})`);
}

/** Replaces `{secure: <ciphertext>}` by the placeholder, at any depth. */
function withoutCiphertext(value: Yaml): { value: Yaml; secret: boolean } {
  if (isMap(value) && Object.keys(value).length === 1 && typeof value["secure"] === "string") {
    return { value: placeholderSecret, secret: true };
  }
  if (!isMap(value) && !Array.isArray(value)) return { value, secret: false };
  const children = Object.entries(value).map(([key, child]) => [key, withoutCiphertext(child)] as const);
  return {
    value: Array.isArray(value)
      ? children.map(([, child]) => child.value)
      : Object.fromEntries(children.map(([key, child]) => [key, child.value])),
    secret: children.some(([, child]) => child.secret),
  };
}

/** Configuration values as the Pulumi CLI passes them to programs: scalars as text, anything else as JSON. */
export function configText(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** A key without a namespace belongs to the project. */
export function fullKey(key: string, project: string): string {
  return key.includes(":") ? key : `${project}:${key}`;
}

/** Values that `Pulumi.yaml` gives to every stack: `key: value`, `{value: …}`, or the default of a declaration. */
function projectDefaults(declared: YamlMap, project: string): YamlMap {
  const values: YamlMap = {};
  for (const [key, entry] of Object.entries(declared)) {
    const value = isMap(entry) ? (entry["value"] ?? entry["default"]) : entry;
    if (value !== undefined && value !== null) values[fullKey(key, project)] = value;
  }
  return values;
}

function declaredSecrets(declared: YamlMap, project: string): Set<string> {
  const secret = Object.entries(declared).filter(([, entry]) => isMap(entry) && entry["secret"] === true);
  return new Set(secret.map(([key]) => fullKey(key, project)));
}

function section(content: YamlMap, file: string): YamlMap {
  const config = content["config"] ?? {};
  if (!isMap(config)) throw new StackFileError(`${shown(file)}: "config" must be a mapping of keys to values`);
  return config;
}

/** Values of a stack file by full key. */
function stackValues(file: string, project: string): YamlMap {
  const given = section(readYaml(file), file);
  const values: YamlMap = {};
  for (const [key, value] of Object.entries(given)) {
    if (value === null) throw new StackFileError(`${shown(file)}: ${key} has no value; give one or remove the key`);
    const full = fullKey(key, project);
    if (full !== key && full in given) throw new StackFileError(`${shown(file)}: ${key} and ${full} are the same key`);
    values[full] = value;
  }
  return values;
}

/**
 * Reads `Pulumi.yaml` and a stack file as the Pulumi CLI does. Encrypted values become a placeholder and stay secret.
 *
 * @param choice the stack, by name (`dev` for `Pulumi.dev.yaml`) or by the path of its file
 * @param root folder of `Pulumi.yaml`
 * @param optional whether a named stack may lack a file; it has no configuration of its own then
 * @throws StackFileError when a file is missing or does not read as a stack file
 */
export function readStack(choice: StackChoice, root: string, { optional = false } = {}): StackSettings {
  const projectFile = path.join(root, "Pulumi.yaml");
  if (!fs.existsSync(projectFile)) throw new StackFileError(`there is no ${shown(projectFile)}`);
  const projectContent = readYaml(projectFile);
  const { name: project, main } = projectContent;
  if (typeof project !== "string") throw new StackFileError(`${shown(projectFile)}: "name" is missing`);

  const { stack, file } = locate(choice, root);
  if (file === undefined && !optional) throw missingStackFile(stack, root);
  const declared = section(projectContent, projectFile);
  const values = projectDefaults(declared, project);
  if (file !== undefined) Object.assign(values, stackValues(file, project));

  const secretKeys = declaredSecrets(declared, project);
  const config: Record<string, string> = {};
  for (const [key, value] of Object.entries(values)) {
    const opened = withoutCiphertext(value);
    if (opened.secret) secretKeys.add(key);
    config[key] = configText(opened.value);
  }
  return {
    ...{ project, stack, root: path.resolve(root), file: file === undefined ? "" : shown(file) },
    main: typeof main === "string" ? main : ".",
    config,
    secretKeys: [...secretKeys].filter((key) => key in config).sort(),
  };
}
