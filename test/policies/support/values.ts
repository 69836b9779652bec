import { secret as wireSecret, unknownText, type Value } from "../../../tools/preview/engine/values";

/** A value that only the deployment will know, as the engine sends it. */
export const unknown = unknownText;

/** A secret, as the engine sends it. */
export const secret = (value: Value): unknown => wireSecret(value);

/** A path such as `agentPoolProfiles[0].vmSize`; steps that hold dots need the array form. */
export type Path = string | readonly string[];

const steps = (path: Path): readonly string[] => (typeof path === "string" ? (path.match(/[^.[\]]+/g) ?? []) : path);

/** A copy of properties with another value at a path; `undefined` removes what is there. */
export function changed<T>(properties: T, path: Path, value: unknown): T {
  const copy = structuredClone(properties);
  const all = steps(path);
  let holder = copy as Record<string, unknown>;
  for (const step of all.slice(0, -1)) holder = (holder[step] ??= {}) as Record<string, unknown>;
  const last = all.at(-1) ?? "";
  if (value === undefined) delete holder[last];
  else holder[last] = value;
  return copy;
}
