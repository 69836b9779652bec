/**
 * Property values as they travel between a Pulumi program and its engine: plain JSON in which an object that carries the
 * key `signatureKey` stands for something JSON has no form for (a secret, an asset, a resource), and one fixed text
 * stands for a value that is not known yet.
 */

/** A property value on the wire. */
export type Value = null | boolean | number | string | Value[] | { [key: string]: Value };
/** The properties of a resource on the wire. */
export type Properties = Record<string, Value>;

export const signatureKey = "4dabf18193072939515e22adb298388d";
const signatures = {
  secret: "1b47061264138c4ac30d75fd1eb44270",
  output: "d0e6a833031e9bbcd3f4e8bde6ca49a4",
  resource: "5cf8f73096256a8f31e491e813e4eb8e",
  asset: "c44067f5952c0a294b673a41bacd8c17",
  archive: "0def7320c3a5731c473e5ecbe6d01bc7",
} as const;

/** What a program sends, and is sent, for a value that only a real deployment would know. */
export const unknownText = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";

/** How a plan and a test see a value that is not known before the deployment. */
export const unknown = Object.freeze({ unknown: true as const });
/** How a plan sees a secret. */
export const redactedSecret = Object.freeze({ secret: true as const });

type ObjectValue = Record<string, Value>;
type Special = keyof typeof signatures;

export function isObject(value: unknown): value is ObjectValue {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** What kind of special value an object is; undefined for an ordinary object. */
function kindOf(value: ObjectValue): Special | undefined {
  const signature = value[signatureKey];
  if (signature === undefined) return undefined;
  return (Object.keys(signatures) as Special[]).find((kind) => signatures[kind] === signature);
}

/** Marks a value secret, as a provider does in its answers. */
export function secret(value: Value): Value {
  return isSecretValue(value) ? value : { [signatureKey]: signatures.secret, value };
}

type SecretValue = ObjectValue & { value: Value };

export function isSecretValue(value: Value | undefined): value is SecretValue {
  return isObject(value) && kindOf(value) === "secret";
}

/** The value inside a secret, or the value itself. */
export function revealed(value: Value): Value {
  return isSecretValue(value) ? value.value : value;
}

function mapChildren(value: Value[] | ObjectValue, change: (child: Value) => Value): Value {
  if (Array.isArray(value)) return value.map(change);
  return Object.fromEntries(Object.entries(value).map(([key, child]) => [key, change(child)]));
}

/**
 * Replaces output values (a value with its secrecy and dependencies in one object, sent to transforms and remote
 * components) by the plain, secret or unknown value, so that the rest of the engine meets one form only.
 *
 * @param dependencies collects the URNs named by the output values
 */
export function withoutOutputValues(value: Value, dependencies: Set<string> = new Set()): Value {
  const visit = (current: Value): Value => {
    if (!isObject(current)) return Array.isArray(current) ? current.map(visit) : current;
    if (kindOf(current) !== "output") return mapChildren(current, visit);
    for (const urn of (current["dependencies"] ?? []) as string[]) dependencies.add(urn);
    const inner = current["value"] === undefined ? unknownText : visit(current["value"]);
    return current["secret"] === true ? secret(inner) : inner;
  };
  return visit(value);
}

function describedAsset(value: ObjectValue): ObjectValue {
  const { text, path, uri } = value;
  return Object.fromEntries(
    Object.entries({ text, path, uri }).filter(([, part]) => part !== undefined),
  ) as ObjectValue;
}

function view(value: Value, onSecret: (inner: Value) => Value): Value {
  const visit = (current: Value): Value => {
    if (current === unknownText) return unknown;
    if (!isObject(current)) return Array.isArray(current) ? current.map(visit) : current;
    switch (kindOf(current)) {
      case "secret":
        return onSecret(current["value"] ?? null);
      case "asset":
        return { asset: describedAsset(current) };
      case "archive":
        return {
          archive: isObject(current["assets"]) ? mapChildren(current["assets"], visit) : describedAsset(current),
        };
      case "resource":
        return { resource: current["urn"] ?? null, id: visit(current["id"] ?? unknownText) };
      case "output":
      case undefined:
        return mapChildren(current, visit);
    }
  };
  return visit(value);
}

/** The value with secrets opened and unknown values as `{unknown: true}`: for tests, never for output. */
export function plain<T extends Value>(value: T): T extends Properties ? Properties : Value;
export function plain(value: Value): Value {
  return view(value, plain);
}

/** The value for plan files and reports: secrets as `{secret: true}`, unknown values as `{unknown: true}`. */
export function redacted<T extends Value>(value: T): T extends Properties ? Properties : Value;
export function redacted(value: Value): Value {
  return view(value, () => redactedSecret);
}

/**
 * The value as policies see it: secrets opened, unknown values as the text that `@pulumi/policy` recognises, assets by
 * their content or origin, references to resources by the id of the resource.
 */
export function forPolicies(value: Value): Value {
  if (!isObject(value)) return Array.isArray(value) ? value.map(forPolicies) : value;
  switch (kindOf(value)) {
    case "secret":
      return forPolicies(revealed(value));
    case "resource":
      return value["id"] === undefined || value["id"] === "" ? unknownText : value["id"];
    case "asset":
    case "archive":
      return describedAsset(value);
    case "output":
    case undefined:
      return mapChildren(value, forPolicies);
  }
}

/** Texts inside the secrets of a value. */
export function secretTexts(value: Value, found: Set<string> = new Set(), inSecret = false): Set<string> {
  if (typeof value === "string" && inSecret && value !== unknownText) found.add(value);
  if (Array.isArray(value)) for (const child of value) secretTexts(child, found, inSecret);
  else if (isSecretValue(value)) secretTexts(value.value, found, true);
  else if (isObject(value)) for (const child of Object.values(value)) secretTexts(child, found, inSecret);
  return found;
}

/**
 * A path such as `agentPoolProfiles[0].name` as its steps. Keys that hold dots or brackets need the array form:
 * `["metadata", "annotations", "meta.helm.sh/release-name"]`.
 */
export function pathSteps(path: string | readonly (string | number)[]): readonly (string | number)[] {
  if (typeof path !== "string") return path;
  return [...path.matchAll(/[^.[\]]+/g)].map(([step]) => (/^\d+$/.test(step) ? Number(step) : step));
}

/**
 * Follows a path through wire values, opening secrets on the way.
 *
 * @returns the value, undefined when the path leads nowhere, and whether a secret holds it
 */
export function lookUp(
  properties: Properties,
  path: string | readonly (string | number)[],
): { value: Value | undefined; secret: boolean } {
  let value: Value | undefined = properties;
  let isSecret = false;
  for (const step of pathSteps(path)) {
    if (Array.isArray(value)) value = value[Number(step)];
    else if (isObject(value)) value = value[String(step)];
    else return { value: undefined, secret: isSecret };
    if (isSecretValue(value)) {
      isSecret = true;
      value = revealed(value);
    }
  }
  return { value, secret: isSecret };
}
