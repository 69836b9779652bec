import { createRequire } from "node:module";
import type {
  PolicyResource,
  PolicyResourceOptions,
  ResourceValidationArgs,
  ResourceValidationPolicy,
  StackValidationArgs,
  StackValidationPolicy,
} from "@pulumi/policy";
import { compare, type Resource } from "./engine/recording";
import { forPolicies, type Properties } from "./engine/values";
import { type ConfiguredPolicy } from "./policy-pack";

/** What a policy has to say about a resource. */
export interface Violation {
  /** Name of the policy. */
  policy: string;
  level: "advisory" | "mandatory";
  /** URN of the resource; that of the stack when a stack policy names none. */
  urn: string;
  message: string;
}

/** Thrown by `args.notApplicable()`. */
class NotApplicable extends Error {}

/** The part of `@pulumi/policy` that its typings leave out: the proxy that throws when an unknown value is read. */
interface UnknownCheck {
  unknownCheckingProxy<T extends object>(properties: T): T;
  UnknownValueError: new (...args: never[]) => Error & { props: PropertyKey[] };
}

type ResourceClass = (new (...rest: never[]) => unknown) & { __pulumiType?: string };

/**
 * Runs policies over the resources of a run as Pulumi's engine does: resource policies see inputs, stack policies outputs,
 * secrets are opened. Runs in this process, since a pack served by Pulumi starts seconds later.
 *
 * A policy that reads a value which only the deployment will know is reported as an advisory, as `pulumi preview` does;
 * one that fails by itself is a mandatory violation, so that no fault of a policy lets a resource pass.
 * Remediations are not run: what they would repair is reported.
 */
export async function runPolicies(
  policies: readonly ConfiguredPolicy[],
  resources: readonly Resource[],
  stackUrn: string,
): Promise<Violation[]> {
  if (policies.length === 0) return [];
  // Loaded here: it brings all of @pulumi/pulumi, which the project's rules have loaded by now or nothing needs.
  const check = createRequire(__filename)("@pulumi/policy") as UnknownCheck;
  const seen = resources.map((resource) => policyView(resource, check));
  const violations: Violation[] = [];
  for (const configured of policies) {
    if (configured.level === "disabled") continue;
    if ("validateStack" in configured.policy) {
      violations.push(...(await runStackPolicy(configured, configured.policy, seen, stackUrn, check)));
    } else {
      for (const view of seen) {
        violations.push(...(await runResourcePolicy(configured, configured.policy, view, check)));
      }
    }
  }
  return violations.sort(
    (a, b) =>
      compare(a.level, b.level) * -1 ||
      compare(a.policy, b.policy) ||
      compare(a.urn, b.urn) ||
      compare(a.message, b.message),
  );
}

/** A resource in the two forms in which policies see it. */
interface PolicyView {
  resource: Resource;
  args: Omit<ResourceValidationArgs, "getConfig" | "notApplicable" | "stackTags">;
  stackResource: PolicyResource;
}

function policyView(resource: Resource, check: UnknownCheck): PolicyView {
  const { type, urn, name } = resource;
  const inputs = check.unknownCheckingProxy(forPolicies(resource.wireInputs) as Properties);
  const outputs = check.unknownCheckingProxy(forPolicies(resource.wireOutputs) as Properties);
  const opts = policyOptions(resource);
  const isType = (resourceClass: ResourceClass) => resourceClass.__pulumiType === type;
  const typed = (props: Properties) => ({
    ...{ type, urn, name, opts, props, isType },
    asType: (resourceClass: ResourceClass) => (isType(resourceClass) ? props : undefined),
  });
  return {
    resource,
    args: typed(inputs) as unknown as PolicyView["args"],
    stackResource: { ...typed(outputs), dependencies: [], propertyDependencies: {} } as unknown as PolicyResource,
  };
}

/** Fills in what points from one resource to others, once all are there. */
function linked(seen: readonly PolicyView[]): PolicyResource[] {
  const byUrn = new Map(seen.map((view) => [view.resource.urn, view.stackResource]));
  const find = (urns: readonly string[]) => urns.map((urn) => byUrn.get(urn)).filter((found) => found !== undefined);
  for (const { resource, stackResource } of seen) {
    const parent = byUrn.get(resource.parent);
    if (parent !== undefined) stackResource.parent = parent;
    stackResource.dependencies = find(resource.dependencies);
    const byProperty = Object.entries(resource.propertyDependencies);
    stackResource.propertyDependencies = Object.fromEntries(byProperty.map(([key, urns]) => [key, find(urns)]));
  }
  return seen.map((view) => view.stackResource);
}

function policyOptions({ options, parent }: Resource): PolicyResourceOptions {
  const { deleteBeforeReplace, customTimeouts: timeouts = {} } = options;
  return {
    protect: options.protect ?? false,
    ignoreChanges: options.ignoreChanges ?? [],
    aliases: [],
    additionalSecretOutputs: options.additionalSecretOutputs ?? [],
    customTimeouts: {
      createSeconds: seconds(timeouts.create),
      updateSeconds: seconds(timeouts.update),
      deleteSeconds: seconds(timeouts.delete),
    },
    ...(deleteBeforeReplace !== undefined && { deleteBeforeReplace }),
    ...(parent !== "" && { parent }),
  };
}

/** Seconds of a duration such as `1h30m`; 0 when there is none. */
function seconds(duration = ""): number {
  const units: Record<string, number> = { h: 3600, m: 60, s: 1, ms: 0.001 };
  const parts = [...duration.matchAll(/([\d.]+)(ms|[hms])/g)];
  return parts.reduce((sum, [, amount, unit]) => sum + Number(amount) * (units[unit ?? ""] ?? 0), 0);
}

/** Made once: most policies say it of most resources, and taking a stack each time would take longer than the policies. */
const inapplicable = new NotApplicable();
const notApplicable = (): never => {
  throw inapplicable;
};
const stackTags: ReadonlyMap<string, string> = new Map();

async function runResourcePolicy(
  { level, config }: ConfiguredPolicy,
  policy: ResourceValidationPolicy,
  view: PolicyView,
  check: UnknownCheck,
): Promise<Violation[]> {
  const validations = [policy.validateResource ?? []].flat();
  const reports: Report[] = [];
  const getConfig = <T>() => config as T;
  for (const validate of validations) {
    const args = { ...view.args, stackTags, notApplicable, getConfig };
    await guarded(reports, check, () => validate(args, (message, urn) => reports.push({ message, urn })));
  }
  return reports.map((report) => violation(policy.name, level, report, view.resource.urn));
}

async function runStackPolicy(
  { level, config }: ConfiguredPolicy,
  policy: StackValidationPolicy,
  seen: readonly PolicyView[],
  stackUrn: string,
  check: UnknownCheck,
): Promise<Violation[]> {
  const reports: Report[] = [];
  const getConfig = <T>() => config as T;
  const args: StackValidationArgs = { resources: linked(seen), stackTags, notApplicable, getConfig };
  await guarded(reports, check, () => policy.validateStack(args, (message, urn) => reports.push({ message, urn })));
  return reports.map((report) => violation(policy.name, level, report, stackUrn));
}

/** A message of a policy before it is attributed; `level` when the policy's own does not hold. */
interface Report {
  message: string;
  urn?: string | undefined;
  level?: Violation["level"];
}

async function guarded(reports: Report[], check: UnknownCheck, work: () => unknown): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (error instanceof NotApplicable) return;
    if (error instanceof check.UnknownValueError) {
      const where = error.props.map(String).join(".");
      reports.push({
        level: "advisory",
        message: `cannot be checked yet; known only after the deployment: ${where}`,
      });
      return;
    }
    const text = error instanceof Error ? error.message : String(error);
    reports.push({ level: "mandatory", message: `the policy itself failed: ${text}` });
  }
}

function violation(policy: string, level: ConfiguredPolicy["level"], report: Report, urn: string): Violation {
  const own = level === "advisory" ? "advisory" : "mandatory";
  return { policy, level: report.level ?? own, urn: report.urn ?? urn, message: report.message };
}
