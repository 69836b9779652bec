import { type GpuCost } from "./ceiling";
import { inTreeOrder, type Recording, type Resource, type ResourceOptions, stackType } from "./engine/recording";
import { redacted, type Properties } from "./engine/values";
import { type Violation } from "./policies";
import { type StackSettings } from "./stack-file";

/** A resource of the plan. */
export interface PlannedResource {
  urn: string;
  /** Token such as `azure-native:storage:StorageAccount`. */
  type: string;
  /** Logical name. */
  name: string;
  /** URN of the parent; empty for the stack. */
  parent: string;
  /** `urn::id` of the provider; empty for components. */
  provider: string;
  /** URNs, sorted. */
  dependencies: string[];
  /** URNs that an input was computed from, by input. */
  propertyDependencies: Record<string, string[]>;
  /** Only what was set. */
  options: ResourceOptions;
  inputs: Properties;
}

/**
 * The plan file of `npm run preview -- --json FILE`. Anywhere in `inputs` and `outputs`, `{"unknown": true}` stands for a
 * value that only the deployment will know and `{"secret": true}` for a secret. The same program and stack file always
 * give the same text.
 */
export interface Plan {
  project: string;
  stack: string;
  /** Parents before children, siblings by type and name. What is only looked up is not part of it. */
  resources: PlannedResource[];
  /** Outputs of the stack. */
  outputs: Properties;
  policies: Violation[];
  cost: GpuCost;
}

/** The resources of a run as a plan shows them. */
export function plannedResources(recording: Recording): PlannedResource[] {
  return inTreeOrder(recording.resources.filter((resource) => !resource.read)).map(planned);
}

function planned(resource: Resource): PlannedResource {
  const { urn, type, name, parent, provider, dependencies, propertyDependencies, options, wireInputs } = resource;
  const inputs = sorted(redacted(wireInputs));
  return { urn, type, name, parent, provider, dependencies, propertyDependencies, options, inputs };
}

export function stackOutputs(recording: Recording): Properties {
  const stack = recording.resources.find((resource) => resource.type === stackType);
  return sorted(redacted(stack?.wireOutputs ?? {}));
}

/** Top-level keys in order: programs fill them in an order of their own. */
function sorted(properties: Properties): Properties {
  return Object.fromEntries(Object.entries(properties).sort(([a], [b]) => (a < b ? -1 : 1)));
}

export function planOf(
  { project, stack }: StackSettings,
  recording: Recording,
  policies: Violation[],
  cost: GpuCost,
): Plan {
  return {
    ...{ project, stack },
    resources: plannedResources(recording),
    outputs: stackOutputs(recording),
    ...{ policies, cost },
  };
}
