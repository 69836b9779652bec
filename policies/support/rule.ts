import type {
  EnforcementLevel,
  PolicyConfigSchema,
  PolicyResource,
  PolicyResourceOptions,
  ResourceValidationPolicy,
  Severity,
  StackValidationPolicy,
} from "@pulumi/policy";
import { CannotGoOn, Inputs } from "./inputs";
import type { TypeTest } from "./types";
import { notKnownYet, opened, type Pending } from "./unknown";

interface About {
  readonly name: string;
  /** What holds when the policy passes, as a sentence. */
  readonly description: string;
  readonly enforcementLevel: EnforcementLevel;
  readonly severity: Severity;
  /** What to do about a violation, as sentences. */
  readonly remediationSteps: string;
  /** Settings; each with a default, and that default the strictest that makes sense. */
  readonly configSchema?: PolicyConfigSchema;
}

/** A resource that a rule looks at. */
export interface Subject<Config = object> {
  readonly type: string;
  /** Logical name. */
  readonly name: string;
  readonly opts: PolicyResourceOptions;
  readonly inputs: Inputs;
  readonly config: Config;
  readonly report: (message: string) => void;
}

/**
 * A policy about single resources, which Pulumi runs before it creates or changes one.
 *
 * The check reports all that is wrong; when nothing is, but something it had to know is not known yet, the policy ends as
 * "can't run during preview", an advisory. Violations are reported whether or not something else is unknown.
 */
export function resourceRule<Config = object>(
  rule: About & { readonly on: TypeTest; readonly check: (resource: Subject<Config>) => void },
): ResourceValidationPolicy {
  const { on, check, ...about } = rule;
  return {
    ...about,
    validateResource: (args, report) => {
      const { type, name, opts } = args;
      if (!on(type)) args.notApplicable();
      const config = settings<Config>(rule, args.getConfig());
      untilAllKnown((defer) => {
        const inputs = new Inputs(opened(args.props), { report, defer });
        check({ type, name, opts, inputs, report, config });
      });
    },
  };
}

/** A resource among others. Its `inputs` are what Pulumi knows of it last: outputs, with the inputs among them. */
export interface StackResource {
  readonly type: string;
  readonly name: string;
  readonly urn: string;
  readonly opts: PolicyResourceOptions;
  readonly inputs: Inputs;
  /** Whether it depends on the other one, directly or by way of others. */
  dependsOn(other: StackResource): boolean;
  /** Resources that the value of a property comes from. */
  sourcesOf(property: string): StackResource[];
  /** Reports about this resource. */
  readonly report: (message: string) => void;
}

export interface Stack<Config = object> {
  readonly config: Config;
  all(test: TypeTest): StackResource[];
  /** Looks at each resource of a type; what is not known of one does not end the look at the others. */
  each(test: TypeTest, look: (resource: StackResource) => void): void;
  /** Reports about the stack as a whole. */
  readonly report: (message: string) => void;
}

/**
 * A policy about resources together. Pulumi runs it at the end of a preview, and again at the end of an update, when all
 * values are known; unknown values are treated as in {@link resourceRule}.
 */
export function stackRule<Config = object>(
  rule: About & { readonly check: (stack: Stack<Config>) => void },
): StackValidationPolicy {
  const { check, ...about } = rule;
  return {
    ...about,
    validateStack: (args, report) => {
      const config = settings<Config>(rule, args.getConfig());
      untilAllKnown((defer) => {
        const resources = linked(args.resources, report, defer);
        const all = (test: TypeTest) => resources.filter(({ type }) => test(type));
        const each: Stack["each"] = (test, look) => {
          for (const resource of all(test)) asFarAsKnown(() => look(resource));
        };
        check({ config, all, each, report });
      });
    },
  };
}

/** Pulumi fills in the defaults of the schema when a stack is configured, but not when a policy has no settings at all. */
function settings<Config>({ configSchema }: About, given: object): Config {
  const properties = Object.entries(configSchema?.properties ?? {});
  return { ...Object.fromEntries(properties.map(([key, schema]) => [key, schema.default])), ...given } as Config;
}

/** Runs a check and, when it met values that it had to know and that are unknown, throws what makes the policy an advisory. */
function untilAllKnown(check: (defer: (pending: Pending) => void) => void): void {
  const pending: Pending[] = [];
  asFarAsKnown(() => check((more) => pending.push(more)));
  if (pending.length > 0) throw notKnownYet(pending);
}

function asFarAsKnown(check: () => void): void {
  try {
    check();
  } catch (error) {
    if (!(error instanceof CannotGoOn)) throw error;
  }
}

function linked(
  resources: readonly PolicyResource[],
  report: (message: string, urn?: string) => void,
  defer: (pending: Pending) => void,
): StackResource[] {
  const byUrn = new Map<string, StackResource>();
  const existing = (others: readonly PolicyResource[] = []) =>
    others.map((other) => byUrn.get(other.urn)).filter((other) => other !== undefined);
  for (const resource of resources) {
    const { type, name, urn, opts } = resource;
    const sink = {
      report: (message: string) => {
        report(message, urn);
      },
      defer: ({ path, sentinel }: Pending) => {
        defer({ path: `${name}.${path}`, sentinel });
      },
    };
    let inputs: Inputs | undefined;
    let reach: ReadonlySet<string> | undefined;
    byUrn.set(urn, {
      ...{ type, name, urn, opts, report: sink.report },
      get inputs() {
        return (inputs ??= new Inputs(opened(resource.props), sink));
      },
      dependsOn: (other) => (reach ??= reachableFrom(resource)).has(other.urn),
      sourcesOf: (property) => existing(resource.propertyDependencies[property]),
    });
  }
  return [...byUrn.values()];
}

/** URNs of all that a resource depends on, directly or not. */
function reachableFrom(resource: PolicyResource, found: Set<string> = new Set()): ReadonlySet<string> {
  for (const other of [...resource.dependencies, ...Object.values(resource.propertyDependencies).flat()]) {
    if (found.has(other.urn)) continue;
    found.add(other.urn);
    reachableFrom(other, found);
  }
  return found;
}
