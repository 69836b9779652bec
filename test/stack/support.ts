import { readFileSync } from "node:fs";
import { vi } from "vitest";
import { parse } from "yaml";
import { namespace } from "../../config/schema";
import { type Resource, type Run, runProgram, type RunProgramOptions } from "../support/engine";

/** Configuration of a shipped stack, with changes; a key set to undefined is left out. */
export function configOf(stack: "dev" | "prod", changes: Record<string, unknown> = {}): Record<string, unknown> {
  const { config } = parse(readFileSync(`Pulumi.${stack}.yaml`, "utf8")) as { config: Record<string, unknown> };
  const all = Object.entries({ ...withoutNamespace(config), ...changes });
  return Object.fromEntries(all.filter(([, value]) => value !== undefined));
}

const withoutNamespace = (config: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(config).map(([key, value]) => [key.replace(`${namespace}:`, ""), value]));

const runs = new Map<string, Promise<Run>>();

/**
 * Runs `index.ts` with a shipped stack's configuration, in this process, on the true engine. A run of the same settings is
 * made once: what tests read of it does not change.
 */
export function run(
  stack: "dev" | "prod",
  changes: Record<string, unknown> = {},
  options: RunProgramOptions = {},
): Promise<Run> {
  const key = JSON.stringify([stack, Object.entries(changes).map(([name, value]) => [name, value ?? null]), options]);
  const known = runs.get(key) ?? start(stack, changes, options);
  runs.set(key, known);
  return known;
}

const start = (stack: "dev" | "prod", changes: Record<string, unknown>, options: RunProgramOptions): Promise<Run> =>
  runProgram(
    async () => {
      vi.resetModules();
      return { ...(await import("../../index.js")) };
    },
    { dryRun: true, stack, config: configOf(stack, changes), ...options },
  );

/** All resources that a resource depends on, through parents' and dependencies' own, by URN. */
export function ancestors(all: Run, resource: Resource): Set<string> {
  const seen = new Set<string>();
  const visit = (urn: string): void => {
    if (urn === "" || seen.has(urn)) return;
    seen.add(urn);
    const { dependencies, provider } = all.byUrn(urn);
    for (const next of [
      ...dependencies,
      ...(provider.includes("pulumi:providers:kubernetes::") ? [providerUrn(provider)] : []),
    ])
      visit(next);
  };
  for (const urn of resource.dependencies) visit(urn);
  if (resource.type.startsWith("kubernetes:")) visit(providerUrn(resource.provider));
  return seen;
}

/** URN in a provider reference, `urn::id`. */
export const providerUrn = (reference: string): string => reference.slice(0, reference.lastIndexOf("::"));
