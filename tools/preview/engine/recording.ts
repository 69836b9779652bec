import { type Properties } from "./values";

/** The options of a resource that were set, after transforms. Names as in `pulumi.CustomResourceOptions`. */
export interface ResourceOptions {
  protect?: boolean;
  retainOnDelete?: boolean;
  deleteBeforeReplace?: boolean;
  ignoreChanges?: string[];
  replaceOnChanges?: string[];
  additionalSecretOutputs?: string[];
  hideDiffs?: string[];
  /** URN of the resource whose deletion takes this one along. */
  deletedWith?: string;
  /** URNs of the resources that are replaced together with this one. */
  replaceWith?: string[];
  /** Durations as written, such as `30m`. */
  customTimeouts?: { create?: string; update?: string; delete?: string; read?: string };
  /** Id of the existing resource that is adopted. */
  import?: string;
  /** Version of the provider plugin. */
  version?: string;
  pluginDownloadURL?: string;
  /** Names of the registered hooks per moment (`afterCreate`, `beforeDelete`, …). */
  hooks?: Record<string, string[]>;
}

/** A resource that a program registered. */
export interface Resource {
  urn: string;
  /** Token such as `azure-native:storage:StorageAccount`. */
  type: string;
  /** Logical name. */
  name: string;
  /** URN of the parent; empty for the stack itself. */
  parent: string;
  /** False for components, true for what a provider makes. */
  custom: boolean;
  /** True for a component that a plugin builds: its children are not visible here. */
  remote: boolean;
  /** True when the resource exists already and is only looked up (`.get`, `StackReference`). */
  read: boolean;
  /** `urn::id` of the provider; that of the default provider when none was given; empty for components. */
  provider: string;
  /** Providers that a component hands to its children, by package. */
  providers: Record<string, string>;
  /** URNs, sorted. */
  dependencies: string[];
  /** URNs that each input was computed from, sorted. */
  propertyDependencies: Record<string, string[]>;
  options: ResourceOptions;
  /** Inputs as sent, secrets and unknown values marked as `values.ts` says. */
  wireInputs: Properties;
  /** Inputs with secrets opened and unknown values as `{unknown: true}`. */
  inputs: Properties;
  /** Empty while unknown, that is in every dry run, and for components. */
  id: string;
  /** Outputs as answered; of a component, what it registered as its outputs. */
  wireOutputs: Properties;
  /** Outputs with secrets opened and unknown values as `{unknown: true}`. */
  outputs: Properties;
}

export type Severity = "info" | "warning" | "error";

/** A message that the program sent to the engine. */
export interface LogMessage {
  severity: Severity;
  message: string;
  /** URN of the resource it is about; empty for none. */
  urn: string;
}

/** A provider function that the program called. Arguments as sent. */
export interface Invocation {
  token: string;
  args: Properties;
  provider: string;
}

/** All that a program told its engine, in order of arrival. */
export interface Recording {
  resources: Resource[];
  logs: LogMessage[];
  invocations: Invocation[];
  /** Names of the registered resource and error hooks. */
  hooks: string[];
  /** URN of the stack; empty until the program registered it. */
  stackUrn: string;
}

export function emptyRecording(): Recording {
  return { resources: [], logs: [], invocations: [], hooks: [], stackUrn: "" };
}

export const stackType = "pulumi:pulumi:Stack";

/**
 * The resources as a tree walk: each parent before its children, siblings by type and name. Programs register in an
 * order that varies from run to run; this one does not.
 */
export function inTreeOrder(resources: readonly Resource[]): Resource[] {
  const byParent = new Map<string, Resource[]>();
  const known = new Set(resources.map((resource) => resource.urn));
  for (const resource of resources) {
    const parent = known.has(resource.parent) ? resource.parent : "";
    byParent.set(parent, [...(byParent.get(parent) ?? []), resource]);
  }
  const below = (parent: string): Resource[] =>
    (byParent.get(parent) ?? [])
      .sort((a, b) => compare(a.type, b.type) || compare(a.name, b.name) || compare(a.urn, b.urn))
      .flatMap((resource) => [resource, ...below(resource.urn)]);
  return below("");
}

/** Order of two texts by code units: the same on every machine, unlike `localeCompare`. */
export function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
