import * as fs from "node:fs";
import { createRequire } from "node:module";
import * as path from "node:path";
import type { EnforcementLevel, Policies, PolicyPackConfig } from "@pulumi/policy";
import { nearest } from "../../core/nearest";
import { readable } from "./failure";
import { exitCodes, ReportedError } from "./reported-error";

type Policy = Policies[number];

/** A policy of the project with the settings that hold for one stack. */
export interface ConfiguredPolicy {
  policy: Policy;
  level: EnforcementLevel;
  /** What `args.getConfig()` answers: the settings laid over the defaults of the policy's schema. */
  config: Record<string, unknown>;
}

/** The configuration of the policies cannot be used; the message says what to do. */
export class PolicyConfigError extends ReportedError {
  constructor(message: string) {
    super(message, exitCodes.refused);
  }
}

/** The policies do not load; the message says why. */
export class PolicyLoadError extends ReportedError {
  constructor(message: string) {
    super(message, exitCodes.programFailed);
  }
}

const levels: readonly EnforcementLevel[] = ["advisory", "mandatory", "remediate", "disabled"];

/** File of the rules; it exports `rules`. The pack's own `index.ts` would start a server as soon as it is loaded. */
export const rulesFile = "policies/rules/index.ts";

/** The project's policies, or none when it has no pack. Takes a while: rules bring the SDKs of the classes they name. */
export function loadRules(root: string): Policies {
  const file = path.join(root, rulesFile);
  if (!fs.existsSync(file)) return [];
  const { rules } = loadModule(file, root) as { rules?: Policies };
  if (!Array.isArray(rules)) throw new PolicyLoadError(`${rulesFile} must export \`rules\`, an array of policies`);
  return rules;
}

function loadModule(file: string, root: string): unknown {
  try {
    return createRequire(file)(file);
  } catch (error) {
    const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
    throw new PolicyLoadError(`${rulesFile} does not load: ${readable(text, root)}`);
  }
}

/** Settings of the policies for an environment, from `policies/config/<environment>.json`; none when it is not there. */
export function readPolicyConfig(root: string, environment: string): PolicyPackConfig {
  const file = `policies/config/${environment}.json`;
  const absolute = path.join(root, file);
  if (!fs.existsSync(absolute)) return {};
  try {
    return JSON.parse(fs.readFileSync(absolute, "utf8")) as PolicyPackConfig;
  } catch (error) {
    throw new PolicyConfigError(`${file}: not valid JSON: ${(error as Error).message}`);
  }
}

/**
 * Lays the settings of a stack over the policies, as `--policy-pack-config` does: a level by name, or an object with
 * `enforcementLevel` and whatever the policy takes; `all` sets the level of every policy that is not named.
 */
export function configured(rules: Policies, settings: PolicyPackConfig): ConfiguredPolicy[] {
  const names = rules.map((policy) => policy.name);
  const problems = Object.keys(settings)
    .filter((name) => name !== "all" && !names.includes(name))
    .map((name) => {
      const near = nearest(name, names);
      return `there is no policy ${name}${near === undefined ? "" : `; did you mean ${near}?`}`;
    });
  const entryOf = (name: string) => {
    const entry = settings[name] ?? {};
    const { enforcementLevel, ...config } = typeof entry === "string" ? { enforcementLevel: entry } : entry;
    if (enforcementLevel !== undefined && !levels.includes(enforcementLevel)) {
      problems.push(`${name}: ${enforcementLevel} is no level; use one of ${levels.join(", ")}`);
    }
    return { level: enforcementLevel, config: config as Record<string, unknown> };
  };
  const all = entryOf("all").level;
  const result = rules.map((policy): ConfiguredPolicy => {
    const { level, config } = entryOf(policy.name);
    const merged = { ...schemaDefaults(policy), ...config };
    const missing = (policy.configSchema?.required ?? []).filter((key) => merged[key] === undefined);
    problems.push(...missing.map((key) => `${policy.name}: ${key} is required`));
    return { policy, level: level ?? all ?? policy.enforcementLevel ?? "advisory", config: merged };
  });
  if (problems.length > 0) throw new PolicyConfigError(`policies/config: ${problems.join("\npolicies/config: ")}`);
  return result;
}

function schemaDefaults(policy: Policy): Record<string, unknown> {
  const properties = Object.entries(policy.configSchema?.properties ?? {});
  return Object.fromEntries(properties.filter(([, schema]) => "default" in schema).map(([key, s]) => [key, s.default]));
}
