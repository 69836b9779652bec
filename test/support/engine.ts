/**
 * Runs Pulumi programs on the embedded engine (tools/preview/engine) and shows what they registered. No cloud, no CLI.
 *
 * A component, in this process, some 50 ms a run:
 *
 * ```ts
 * const run = await runProgram(() => {
 *   new ModelStore("models", { ... });
 * });
 * const account = run.one("azure-native:storage:StorageAccount");
 * expect(account.inputs).toMatchObject({ allowSharedKeyAccess: false });
 * expect(account.parent).toBe(run.one("triton-azure:index:ModelStore").urn);
 * ```
 *
 * A whole stack, in a process of its own, as `npm run preview` does it:
 *
 * ```ts
 * const run = await runStack({ stackFile: "Pulumi.dev.yaml", config: { gpuPools: [...] } });
 * expect(run.exitCode).toBe(0);
 * ```
 *
 * By default `runStack` makes a dry run (ids and computed outputs are unknown: `expect(x).toEqual(unknown)`) and
 * `runProgram` a real one, in which `azureStandIn` answers as Azure would. Set `dryRun` for the other. A program that
 * fails makes `runProgram` reject (`await expect(runProgram(...)).rejects.toThrow("...")`); `runStack` answers its exit
 * code, `logs` and `stderr`.
 *
 * - `run.one(type, name?)`, `run.all(type)`, `run.childrenOf(resource)`, `run.byUrn(urn)` find resources. A type may be
 *   cut short at a colon: `ManagedCluster` finds `azure-native:containerservice:ManagedCluster`.
 * - `input(resource, "agentPoolProfiles[0].count")` reads one input, `output(...)` one output; `isSecret(resource,
 *   "stringData.KEY")` tells whether an input is secret, `isSecretOutput` the same of outputs. Keys that hold dots go into an array:
 *   `["metadata", "annotations", "a.b/c"]`.
 * - `leaks(run, sentinel)` lists all places outside secrets where a text shows; `containsPlain` says whether there is one.
 * - Each of `run.resources` has `dependencies`, `propertyDependencies`, `provider`, `options` and more: see `Resource`.
 * - To await an output inside a program: `valueOf` of `outputs.ts`.
 */
import * as path from "node:path";
import * as embedded from "../../tools/preview/engine";
import {
  type LogMessage,
  type Recording,
  type Resource,
  type Severity,
  type StandIn,
} from "../../tools/preview/engine";
import { configText, fullKey, readStack, type StackSettings } from "../../tools/preview/stack-file";
import { runInProcess } from "./in-process";

export { accountKey, azureStandIn, unknown } from "../../tools/preview/engine";
export { type LogMessage, type Resource, type ResourceOptions, type StandIn } from "../../tools/preview/engine";

/** Folder of the project's own `Pulumi.yaml`. */
export const projectRoot = path.resolve(__dirname, "../..");

export interface RunOptions {
  /** Configuration values by key; a key without a namespace gets the project's. Structured values as they are. */
  config?: Record<string, unknown>;
  /** Keys of `config` whose values are secret. */
  secrets?: readonly string[];
  /** Defaults to `dev`. */
  stack?: string;
  /** Whether ids and computed outputs stay unknown. */
  dryRun?: boolean;
  /** Who answers for the cloud. Defaults to `azureStandIn`; spread it to change one answer. */
  standIn?: StandIn;
}

export interface RunProgramOptions extends RunOptions {
  /** Defaults to `triton-azure`. */
  project?: string;
}

export interface RunStackOptions extends RunOptions {
  /**
   * Stack file to read, by name or by path from the project's root; `config` is laid over it. When neither this nor
   * `config` is given it is the file of `stack`.
   */
  stackFile?: string;
  /** Folder of the program, with its own `Pulumi.yaml`. Defaults to this project. */
  program?: string;
  /** Runs with ts-node and an untouched SDK, as the Pulumi CLI does: twice as slow, the same result. */
  asPulumiDoes?: boolean;
}

/** What a program registered, with finders. */
export class Run {
  readonly resources: readonly Resource[];
  readonly logs: readonly LogMessage[];
  readonly invocations: Recording["invocations"];
  readonly hooks: readonly string[];
  /** Outputs of the stack, secrets opened. */
  readonly outputs: embedded.Properties;

  constructor(
    readonly recording: Recording,
    /** Exit code of the program; 0 for one that ran in this process. */
    readonly exitCode: number | null = 0,
    readonly stdout = "",
    readonly stderr = "",
  ) {
    this.resources = embedded.inTreeOrder(recording.resources);
    this.logs = recording.logs;
    this.invocations = recording.invocations;
    this.hooks = recording.hooks;
    this.outputs = this.resources.find((resource) => resource.type === embedded.stackType)?.outputs ?? {};
  }

  /** All resources of a type, in tree order. */
  all(type: string): Resource[] {
    return this.resources.filter((resource) => resource.type === type || resource.type.endsWith(`:${type}`));
  }

  /** The only resource of a type, or the one with that logical name. Throws, listing what there is, otherwise. */
  one(type: string, name?: string): Resource {
    const found = this.all(type).filter((resource) => name === undefined || resource.name === name);
    const [only] = found;
    if (only !== undefined && found.length === 1) return only;
    const wanted = name === undefined ? type : `${type} named ${name}`;
    const list = (found.length > 0 ? found : this.resources).map((resource) => `  ${resource.type} ${resource.name}`);
    throw new Error(`expected one ${wanted}, found ${found.length}. There are:\n${list.join("\n")}`);
  }

  byUrn(urn: string): Resource {
    const found = this.resources.find((resource) => resource.urn === urn);
    if (found === undefined) throw new Error(`no resource has the URN ${urn}`);
    return found;
  }

  childrenOf(parent: Resource): Resource[] {
    return this.resources.filter((resource) => resource.parent === parent.urn);
  }

  /** Messages of a severity, such as the warnings. */
  messages(severity: Severity): string[] {
    return this.logs.filter((log) => log.severity === severity).map((log) => log.message);
  }
}

/** Runs a function that creates resources, such as one component, in this process. */
export async function runProgram(program: () => unknown, options: RunProgramOptions = {}): Promise<Run> {
  const project = options.project ?? "triton-azure";
  const recording = await runInProcess(program, {
    project,
    stack: options.stack ?? "dev",
    dryRun: options.dryRun ?? false,
    standIn: options.standIn ?? embedded.azureStandIn,
    config: texts(options.config ?? {}, project),
    secretKeys: (options.secrets ?? []).map((key) => fullKey(key, project)),
  });
  return new Run(recording);
}

/** Runs a whole program by `@pulumi/pulumi/cmd/run`, as the Pulumi CLI does. */
export async function runStack(options: RunStackOptions = {}): Promise<Run> {
  const settings = settingsOf(options);
  const { dryRun = true, standIn = embedded.azureStandIn, asPulumiDoes } = options;
  const deployment = { dryRun, standIn, asPulumiDoes };
  const engine = await embedded.startEngine({ ...settings, ...deployment });
  try {
    const result = await embedded.runProgram({ ...settings, ...deployment, engineAddress: engine.address });
    return new Run(engine.recording, result.exitCode, result.stdout, result.stderr);
  } finally {
    engine.close();
  }
}

function settingsOf(options: RunStackOptions): StackSettings {
  const root = path.resolve(projectRoot, options.program ?? ".");
  const stack = options.stack ?? "dev";
  const named = options.stackFile ?? (options.config === undefined ? stack : undefined);
  const isPath = named !== undefined && /\.ya?ml$/.test(named);
  const file = named === undefined ? { stack } : isPath ? { path: path.resolve(root, named) } : { stack: named };
  const base = readStack(file, root, { optional: named === undefined });
  const keys = (options.secrets ?? []).map((key) => fullKey(key, base.project));
  return {
    ...base,
    stack: options.stack ?? base.stack,
    config: { ...base.config, ...texts(options.config ?? {}, base.project) },
    secretKeys: [...new Set([...base.secretKeys, ...keys])],
  };
}

function texts(config: Record<string, unknown>, project: string): Record<string, string> {
  return Object.fromEntries(Object.entries(config).map(([key, value]) => [fullKey(key, project), configText(value)]));
}

type Path = string | readonly (string | number)[];

function read(resource: Resource, properties: embedded.Properties, path: Path): ReturnType<typeof embedded.lookUp> {
  const found = embedded.lookUp(properties, path);
  if (found.value !== undefined) return found;
  throw new Error(
    `${resource.type} ${resource.name} has no ${String(path)}; it has ${Object.keys(properties).join(", ")}`,
  );
}

/** One input of a resource, secrets opened. Throws when it is not there. */
export function input<T = unknown>(resource: Resource, path: Path): T {
  return embedded.plain(read(resource, resource.wireInputs, path).value ?? null) as T;
}

/** One output of a resource, secrets opened. Throws when it is not there. */
export function output<T = unknown>(resource: Resource, path: Path): T {
  return embedded.plain(read(resource, resource.wireOutputs, path).value ?? null) as T;
}

/** Whether an input, or something around it, is secret. Throws when there is no such input. */
export function isSecret(resource: Resource, path: Path): boolean {
  return read(resource, resource.wireInputs, path).secret;
}

/** Whether an output (for a stack or component: one it exports) is secret. Throws when there is no such output. */
export function isSecretOutput(resource: Resource, path: Path): boolean {
  return read(resource, resource.wireOutputs, path).secret;
}

/**
 * All places where a text shows, or its Base64 form, outside of secrets: resources, stack outputs, messages, streams.
 * Empty when there is none.
 */
export function leaks(run: Run, sentinel: string): string[] {
  const encoded = Buffer.from(sentinel).toString("base64").replace(/=+$/, "");
  const shows = (value: unknown) => {
    const json = typeof value === "string" ? value : JSON.stringify(value);
    return json.includes(sentinel) || json.includes(encoded);
  };
  const places: [string, unknown][] = [
    ["standard output", run.stdout],
    ["standard error", run.stderr],
    ...run.logs.map((log): [string, unknown] => [`message (${log.severity})`, log.message]),
    ...run.resources.flatMap((resource): [string, unknown][] => {
      const { wireInputs, inputs: _, wireOutputs, outputs: __, ...rest } = resource;
      return [
        [`${resource.urn} itself`, rest],
        ...Object.entries(embedded.redacted(wireInputs)).map(([key, value]): [string, unknown] => [
          `${resource.urn} input ${key}`,
          value,
        ]),
        ...Object.entries(embedded.redacted(wireOutputs)).map(([key, value]): [string, unknown] => [
          `${resource.urn} output ${key}`,
          value,
        ]),
      ];
    }),
  ];
  return places.filter(([, value]) => shows(value)).map(([place]) => place);
}

/** Whether a text shows anywhere outside of secrets. */
export function containsPlain(run: Run, sentinel: string): boolean {
  return leaks(run, sentinel).length > 0;
}
