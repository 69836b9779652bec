import * as policy from "@pulumi/policy";

/** What `@pulumi/policy` exports without typings: the error of its proxy when a value is not known yet. */
type UnknownValueError = Error & { readonly unknownTypeSentinel: string };
const { UnknownValueError } = policy as unknown as {
  UnknownValueError: new (sentinel: string, path: readonly PropertyKey[]) => UnknownValueError;
};

/** Stands, in an opened value, for a part that only the deployment will know. */
export class Unknown {
  constructor(readonly sentinel: string) {}
}

/**
 * A copy of resource properties without the proxy that `@pulumi/policy` lays around them. The proxy throws when an unknown
 * value is read, which would end the policy at the first one and hide what its siblings say; the copy holds an
 * {@link Unknown} in such places instead.
 */
export function opened(value: unknown): unknown {
  if (Array.isArray(value)) return Array.from({ length: value.length }, (_, index) => openedAt(value, index));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.keys(value).map((key) => [key, openedAt(value, key)]));
}

function openedAt(container: object, key: PropertyKey): unknown {
  try {
    return opened((container as Record<PropertyKey, unknown>)[key]);
  } catch (error) {
    if (error instanceof UnknownValueError) return new Unknown(error.unknownTypeSentinel);
    throw error;
  }
}

/** Whether a value is unknown, or holds something unknown. */
export function holdsUnknown(value: unknown): boolean {
  if (value instanceof Unknown) return true;
  return typeof value === "object" && value !== null && Object.values(value).some(holdsUnknown);
}

/** A value that a policy needs and that is not known yet, with the place where it stands. */
export interface Pending {
  readonly path: string;
  readonly sentinel: string;
}

/**
 * The error that makes Pulumi report a policy as an advisory, "can't run during preview", instead of as passed. `pulumi up`
 * runs the policy again before it creates the resource, when the values are known.
 */
export const notKnownYet = (pending: readonly Pending[]): Error =>
  new UnknownValueError(pending[0]?.sentinel ?? "", [[...new Set(pending.map(({ path }) => path))].join(", ")]);
