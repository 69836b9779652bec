/** Something about the configuration that a person has to know. */
export interface Problem {
  /** Path below the namespace, such as `gpuPools[0].vmSize`. */
  readonly key: string;
  /** What is wrong and what to do. */
  readonly message: string;
  /** A warning when it may be meant so; an error, which is the default, ends the run before any resource. */
  readonly severity?: "error" | "warning";
}

/** `["gpuPools", 0, "vmSize"]` as `gpuPools[0].vmSize`. */
export const keyPath = (path: readonly PropertyKey[]): string =>
  path.map((part, index) => (typeof part === "number" ? `[${part}]` : (index > 0 ? "." : "") + String(part))).join("");

/** Whether the entry at an index has the identity of an earlier one. */
export const repeatsEarlier = <T>(list: readonly T[], index: number, identity: (entry: T) => string): boolean =>
  list.slice(0, index).some((earlier) => identity(earlier) === identity(list[index] as T));
