/** Whether a policy is about resources of this type. */
export type TypeTest = (type: string) => boolean;

/**
 * Matches classes of azure-native, named `module:Class`, whatever API version they come from: the default one
 * (`azure-native:storage:StorageAccount`), a versioned module (`azure-native:storage/v20240101:StorageAccount`), or a
 * package generated for one version (`azure-native_storage_v20240101:storage:StorageAccount`).
 */
export function azure(...classes: readonly string[]): TypeTest {
  const wanted = new Set(classes);
  return (type) => wanted.has(azureClass(type) ?? "");
}

/** `module:Class` of an azure-native type, undefined for types of other packages. */
export function azureClass(type: string): string | undefined {
  const [, module, name] = /^azure-native(?:_[^:]*)?:([^:/]+)(?:\/[^:]*)?:(\w+)$/.exec(type) ?? [];
  return module === undefined ? undefined : `${module}:${name}`;
}

/** Kind of a Kubernetes type such as `kubernetes:apps/v1:Deployment`, whatever its API version; of `DeploymentPatch` too. */
export const kubernetesKind = (type: string): string | undefined =>
  /^kubernetes:[^:]+:(\w+?)(?:Patch)?$/.exec(type)?.[1];

/** Matches Kubernetes kinds of any API version. */
export const kubernetes =
  (...kinds: readonly string[]): TypeTest =>
  (type) =>
    kinds.includes(kubernetesKind(type) ?? "");

/** Matches Helm releases. */
export const helmRelease: TypeTest = (type) => /^kubernetes:helm\.sh\/[^:]+:Release$/.test(type);

/** Matches what any of the tests matches. */
export const anyOf =
  (...tests: readonly TypeTest[]): TypeTest =>
  (type) =>
    tests.some((test) => test(type));
