import { checkAll } from "./checks";
import { parse } from "./parse";
import type { Problem } from "./problem";
import { resolve, type StackConfig } from "./resolve";
import { namespace, type Values } from "./schema";

export type { Principal } from "./access";
export type { RegionConfig } from "./regions";
export type { GpuPool, StackConfig } from "./resolve";
export { adminKey, namespace } from "./schema";

/** What is wrong with a stack's configuration, all of it: one line a problem, each naming its key. */
export class ConfigurationError extends Error {
  /** @internal Marks the error for Pulumi, which then prints the message without a stack trace. */
  readonly __pulumiRunError = true;
  override readonly name = "ConfigurationError";

  constructor(readonly problems: readonly Problem[]) {
    const lines = problems.map(({ key, message }) => `  ${namespace}:${key}: ${message}`);
    super(
      `The stack's configuration has ${problems.length === 1 ? "a problem" : `${problems.length} problems`}:\n${lines.join("\n")}`,
    );
  }
}

export interface LoadedConfig {
  readonly config: StackConfig;
  readonly warnings: readonly Problem[];
}

/**
 * Checks the raw values of a stack, fills in the defaults and works out what depends on several keys.
 *
 * @param raw values by key, without namespace
 * @param hasAdminKey whether the stack has the secret `adminKey`
 * @throws ConfigurationError with every problem at once
 */
export function loadConfig(raw: Readonly<Record<string, unknown>>, hasAdminKey = false): LoadedConfig {
  const { values, problems } = parse(raw);
  const found = checkAll(values, hasAdminKey);
  const errors = [...problems, ...found.filter(({ severity }) => severity !== "warning")];
  if (errors.length > 0) throw new ConfigurationError(errors);
  return {
    config: resolve(values as Values),
    warnings: found.filter(({ severity }) => severity === "warning"),
  };
}
