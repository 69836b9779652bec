import * as pulumi from "@pulumi/pulumi";
import * as settings from "@pulumi/pulumi/runtime/settings";
import * as internalState from "@pulumi/pulumi/runtime/state";
import { type Deployment, type Recording, startEngine } from "../../tools/preview/engine";

/** The part of Pulumi's runtime state that its typings leave out: automation programs run on it in the same way. */
interface RuntimeState {
  withLocalStorage<T>(work: () => Promise<T>): Promise<T>;
  getStore(): { settings: { monitor?: { close(): void }; engine?: { close(): void } } };
}
const state = internalState as unknown as RuntimeState;

export interface InProcessOptions extends Deployment {
  config: Record<string, string>;
  secretKeys: readonly string[];
}

/**
 * Runs a program in this process against an engine of its own, with runtime state of its own: several may run at once.
 *
 * @throws what the program threw, or what made a registration or an output fail
 */
export async function runInProcess(program: () => unknown, options: InProcessOptions): Promise<Recording> {
  const engine = await startEngine(options);
  const stop = collectRejections();
  const failures: unknown[] = [];
  try {
    await state.withLocalStorage(async () => {
      const { project, stack, dryRun } = options;
      settings.resetOptions(project, stack, 16, engine.address, engine.address, dryRun, "organization");
      pulumi.runtime.setAllConfig(options.config, [...options.secretKeys]);
      try {
        await pulumi.runtime.runInPulumiStack(async () => await program());
        await settings.disconnect();
      } catch (error) {
        failures.push(error);
        await settings.disconnect();
      } finally {
        const { monitor, engine: client } = state.getStore().settings;
        monitor?.close();
        client?.close();
      }
    });
  } finally {
    failures.push(...(await stop()));
    engine.close();
  }
  const messages = engine.recording.logs.filter((log) => log.severity === "error").map((log) => log.message);
  if (failures.length === 0 && messages.length > 0) throw new Error(messages.join("\n"));
  if (failures.length > 0) throw combined(failures);
  return engine.recording;
}

/** One error for all: a failed resource rejects everything that depends on it, often with the same error. */
function combined(failures: readonly unknown[]): unknown {
  const byMessage = new Map(failures.map((failure) => [String(failure), failure]));
  const [first] = byMessage.values();
  if (byMessage.size === 1) return first;
  return new AggregateError(byMessage.values(), [...byMessage.keys()].join("\n"));
}

let collectors: Set<unknown>[] = [];
let silenced: NodeJS.UnhandledRejectionListener[] = [];

const collect = (reason: unknown) => {
  for (const found of collectors) found.add(reason);
};

/**
 * Takes over unhandled rejections, in which Pulumi reports failed registrations, from the test runner, which would call
 * them errors of the run. The returned function gives them back and answers what came.
 */
function collectRejections(): () => Promise<unknown[]> {
  const found = new Set<unknown>();
  if (collectors.length === 0) {
    silenced = process.listeners("unhandledRejection");
    process.removeAllListeners("unhandledRejection");
    process.on("unhandledRejection", collect);
  }
  collectors.push(found);
  return async () => {
    // Rejections are reported after the promises of the current turn have settled.
    for (let turn = 0; turn < 2; turn++) await new Promise((resolve) => setImmediate(resolve));
    collectors = collectors.filter((other) => other !== found);
    if (collectors.length === 0) {
      process.off("unhandledRejection", collect);
      for (const listener of silenced) process.on("unhandledRejection", listener);
    }
    return [...found];
  };
}
