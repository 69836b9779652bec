import { ConfigurationError, loadConfig, type LoadedConfig } from "../../config";

export const admin = { objectId: "5f3c7e0a-8f0b-4d5e-9a61-0c2f6f7a1b2c", type: "Group" };

/** The least that a stack needs. */
export const minimal = {
  suffix: "ab12c",
  regions: [{ location: "westeurope" }],
  access: { clusterAdmins: [admin] },
} as const;

export const release = {
  id: "r1",
  sizeBytes: 100 * 2 ** 20,
  models: [{ name: "classifier", versions: [1], platform: "onnxruntime_onnx" }],
};

export const load = (overrides: Record<string, unknown> = {}): LoadedConfig => loadConfig({ ...minimal, ...overrides });

/** Every problem of a configuration, as `key: message`; empty when it is valid. */
export function errorsOf(raw: Record<string, unknown>, hasAdminKey = false): string[] {
  try {
    loadConfig(raw, hasAdminKey);
    return [];
  } catch (error) {
    if (error instanceof ConfigurationError) return error.problems.map(({ key, message }) => `${key}: ${message}`);
    throw error;
  }
}

export const errorsWith = (overrides: Record<string, unknown>, hasAdminKey = false): string[] =>
  errorsOf({ ...minimal, ...overrides }, hasAdminKey);

export const warningsWith = (overrides: Record<string, unknown>): string[] =>
  load(overrides).warnings.map(({ key, message }) => `${key}: ${message}`);
