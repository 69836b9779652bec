import * as pulumi from "@pulumi/pulumi";
import { ConfigurationError, loadConfig, type StackConfig } from ".";
import { nearest } from "../core/nearest";
import type { Problem } from "./problem";
import { adminKey, type Key, namespace, schemas } from "./schema";

/** What `index.ts` reads: the configuration of the selected stack. */
export interface StackSettings {
  readonly config: StackConfig;
  /** Key of Triton's restricted APIs, a secret; undefined when the stack has none. */
  readonly adminKey: pulumi.Output<string> | undefined;
}

/** Keys whose values are plain text; all others are structured, and reach a program as JSON. */
const textKeys: ReadonlySet<string> = new Set<Key>(["suffix", "environment", "release"]);

/**
 * Reads and checks the configuration of the selected stack, and says loudly what is likely not meant.
 *
 * @throws ConfigurationError with every problem at once, before any resource is registered
 */
export function readStack(): StackSettings {
  const secret = new pulumi.Config(namespace).getSecret(adminKey);
  const { config, warnings } = loadConfig(rawValues(), secret !== undefined);
  for (const { key, message } of warnings) void pulumi.log.warn(`${namespace}:${key}: ${message}`);
  return { config, adminKey: secret };
}

function rawValues(): Record<string, unknown> {
  const raw: Record<string, unknown> = {};
  const problems: Problem[] = [];
  for (const [name, text] of Object.entries(pulumi.runtime.allConfig())) {
    const [owner = ""] = name.split(":", 1);
    if (owner !== namespace) {
      if (nearest(owner, [namespace]) !== undefined)
        void pulumi.log.warn(`${name}: nothing reads this; did you mean ${namespace}:?`);
      continue;
    }
    const key = name.slice(namespace.length + 1);
    if (textKeys.has(key) || !Object.hasOwn(schemas, key)) {
      raw[key] = text;
      continue;
    }
    try {
      raw[key] = JSON.parse(text);
    } catch {
      problems.push({
        key,
        message: "must be structured; write it in the stack file, or use `pulumi config set --path`",
      });
    }
  }
  if (problems.length > 0) throw new ConfigurationError(problems);
  return raw;
}
