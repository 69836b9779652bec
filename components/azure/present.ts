import * as pulumi from "@pulumi/pulumi";

/**
 * What Azure answers once a resource is there. A preview may know the field's surroundings, from the inputs, but not the
 * field itself: then it stays unknown.
 *
 * @throws RunError with `missing` when a deployment got no value
 */
export function present(value: string | undefined, missing: string): string {
  if (value !== undefined && value !== "") return value;
  if (pulumi.runtime.isDryRun()) return pulumi.unknown as string;
  throw new pulumi.RunError(missing);
}
