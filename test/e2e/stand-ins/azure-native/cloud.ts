import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import * as path from "node:path";
import type { Properties } from "../../../../tools/preview/engine/values";

/** A resource as the stand-in for Azure keeps it. */
export interface Stored {
  readonly type: string;
  readonly inputs: Properties;
  readonly outputs: Properties;
}

/** A fault that a test asks for. It strikes `times` operations that match, then is gone. */
export interface Fault {
  /** End of a type token, such as `ManagedCluster`, or of a function's name. */
  readonly type: string;
  readonly operation: "create" | "update" | "delete" | "read" | "invoke";
  /** 429 is retried as azure-native does; other codes fail the operation; absent only delays it. */
  readonly status?: number;
  readonly code?: string;
  readonly delayMs?: number;
  times: number;
}

interface State {
  /** By ARM id in lower case: ARM ignores case. */
  resources: Record<string, Stored>;
  /** Names that Azure keeps after deletion, as `kind/name`. */
  softDeleted: string[];
  faults: Fault[];
}

const empty = (): State => ({ resources: {}, softDeleted: [], faults: [] });

/**
 * The state of the pretended Azure: one file, so that it outlives the provider's process as the real one does. Every
 * operation reads and writes it synchronously; only one provider process uses it at a time, as a stack's lock sees to.
 */
export class Cloud {
  private readonly file: string;

  constructor(folder: string) {
    mkdirSync(folder, { recursive: true });
    this.file = path.join(folder, "azure.json");
  }

  private read(): State {
    try {
      return JSON.parse(readFileSync(this.file, "utf8")) as State;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return empty();
      throw error;
    }
  }

  private change(edit: (state: State) => void): void {
    const state = this.read();
    edit(state);
    const draft = `${this.file}.${process.pid}`;
    writeFileSync(draft, JSON.stringify(state, null, 1));
    renameSync(draft, this.file);
  }

  get(id: string): Stored | undefined {
    return this.read().resources[id.toLowerCase()];
  }

  /** All resources whose type token ends in `kind`, by id. */
  all(kind = ""): [id: string, resource: Stored][] {
    return Object.entries(this.read().resources).filter(([, { type }]) => type.endsWith(kind));
  }

  put(id: string, resource: Stored): void {
    this.change((state) => (state.resources[id.toLowerCase()] = resource));
  }

  /** Deletes a resource and all below it. */
  remove(id: string): void {
    const own = id.toLowerCase();
    this.change((state) => {
      for (const key of Object.keys(state.resources)) {
        if (key === own || key.startsWith(`${own}/`)) delete state.resources[key];
      }
    });
  }

  keepName(name: string): void {
    this.change((state) => state.softDeleted.push(name));
  }

  isKept(name: string): boolean {
    return this.read().softDeleted.includes(name);
  }

  /** Makes the next operations fail or wait, for tests. */
  injectFaults(faults: readonly Fault[]): void {
    this.change((state) => state.faults.push(...faults));
  }

  /** The fault that strikes this operation, if any. */
  strike(type: string, operation: Fault["operation"]): Fault | undefined {
    const matches = (fault: Fault) => fault.times > 0 && fault.operation === operation && type.endsWith(fault.type);
    const fault = this.read().faults.find(matches);
    if (fault === undefined) return undefined;
    this.change((state) => {
      const same = state.faults.find(matches);
      if (same) same.times--;
      state.faults = state.faults.filter(({ times }) => times > 0);
    });
    return fault;
  }
}
