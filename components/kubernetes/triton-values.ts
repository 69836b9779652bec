import * as pulumi from "@pulumi/pulumi";
import type { StackConfig } from "../../config";
import { gpuNodeLabel, gpuTolerations } from "../../core/gpu-pool";
import { modelRepositoryUrl, releasePath } from "../../core/model-repository";
import { formatMi, GiB } from "../../core/quantity";
import type { Release } from "../../core/release";
import { type Rollout, rolloutFor } from "../../core/rollout";
import { rolloutDeadlineSeconds } from "../../core/startup";

type Config = Pick<StackConfig, "triton" | "autoscaling" | "gpuPools" | "replicaSlots" | "startupBudgetSeconds">;

/** How the pods get at the releases: by an identity, or by an account key that a Secret holds. */
export type StorageAccess =
  | { readonly clientId: pulumi.Input<string> }
  | { readonly keySecret: { readonly name: pulumi.Input<string>; readonly key: string } };

export interface TritonValuesArgs {
  readonly config: Config;
  readonly release: Release;
  readonly chartDigest: string;
  readonly serviceAccountName: string;
  readonly modelStore: { readonly accountName: pulumi.Input<string>; readonly containerName: pulumi.Input<string> };
  readonly storageAccess: StorageAccess;
  /** Secret with the key of the restricted APIs; needed when the configuration restricts any. */
  readonly adminSecret?: { readonly name: pulumi.Input<string>; readonly key: string } | undefined;
}

/** Values of the Triton chart (`charts/triton/values.yaml`) for a stack. They hold references to secrets, never secrets. */
export function tritonValues(args: TritonValuesArgs) {
  const { config, release, modelStore, storageAccess } = args;
  const { triton } = config;
  const { resources } = triton;
  const identified = "clientId" in storageAccess;
  return {
    image: { repository: triton.image.repository, tag: triton.image.tag, digest: triton.image.digest ?? "" },
    releaseId: release.id,
    chartDigest: args.chartDigest,
    scaledExternally: true,
    gpus: resources.gpus,
    gpuResource: resources.gpuResource,
    resources: { cpu: resources.cpu, memory: resources.memory },
    sharedMemory: resources.sharedMemory,
    modelRepository: {
      url: pulumi
        .all([modelStore.accountName, modelStore.containerName])
        .apply(([account, container]) => modelRepositoryUrl(account, container, releasePath(release.id))),
      volume: { sizeLimit: formatMi(modelVolumeBytes(release)) },
    },
    env: storageEnvironment(modelStore.accountName, storageAccess),
    triton: serverOptions(args),
    startup: { budgetSeconds: config.startupBudgetSeconds },
    shutdown: { preStopSeconds: triton.preStopSeconds },
    rollout: rolloutValues(config),
    serviceAccount: {
      name: args.serviceAccountName,
      ...(identified && { annotations: { "azure.workload.identity/client-id": storageAccess.clientId } }),
    },
    podLabels: identified ? { "azure.workload.identity/use": "true" } : {},
    networkPolicy: { ingress: { metrics: [managedPrometheus] } },
    ...placement(config),
    test: { model: firstLoadedModel(triton, release) },
  };
}

/** The release, and a reserve for what its files take beyond their size. */
const modelVolumeBytes = (release: Release): number => release.sizeBytes * 1.1 + GiB;

/**
 * Triton's settings for Blob Storage. Account and URL come from one output: Triton signs for the account of the variable
 * and calls the one of the URL. `default` is the only setting that reads the token of a service account; with
 * `managed_identity` Triton would ask the node for its identity.
 */
const storageEnvironment = (account: pulumi.Input<string>, access: StorageAccess) => [
  { name: "AZURE_STORAGE_ACCOUNT", value: account },
  "clientId" in access
    ? { name: "AZURE_STORAGE_AUTH_TYPE", value: "default" }
    : { name: "AZURE_STORAGE_KEY", valueFrom: { secretKeyRef: access.keySecret } },
];

function serverOptions({ config: { triton }, adminSecret }: TritonValuesArgs) {
  return {
    modelControlMode: triton.modelControlMode,
    loadModels: triton.loadModels,
    modelLoadThreads: triton.modelLoadThreads,
    exitOnError: triton.exitOnError,
    strictReadiness: triton.strictReadiness,
    exitTimeoutSeconds: triton.exitTimeoutSeconds,
    responseCacheBytes: triton.responseCacheBytes,
    logFormat: triton.logFormat,
    logVerbose: triton.logVerbose,
    rateLimiter: triton.rateLimiter,
    pinnedMemoryPoolBytes: triton.pinnedMemoryBytes,
    restrictedApis:
      adminSecret === undefined
        ? { apis: [] }
        : { apis: triton.restrictedApis, secretName: adminSecret.name, secretKey: adminSecret.key },
    extraArgs: triton.extraArgs,
  };
}

/** The roll-out that the pools hold when the autoscaler is at its maximum. */
export const rolloutOf = ({ autoscaling, replicaSlots }: Pick<Config, "autoscaling" | "replicaSlots">): Rollout =>
  rolloutFor(autoscaling.max, replicaSlots);

/** Seconds within which the whole roll-out ends, all waves of it. */
export function rolloutSeconds(config: Config): number {
  return rolloutDeadlineSeconds(config.startupBudgetSeconds, rolloutOf(config).waves, config.triton.startup);
}

/** Kubernetes counts the progress deadline from the last pod that became ready, so it is that of one wave. */
function rolloutValues(config: Config) {
  const { maxSurge, maxUnavailable } = rolloutOf(config);
  const progressDeadlineSeconds = rolloutDeadlineSeconds(config.startupBudgetSeconds, 1, config.triton.startup);
  return { maxSurge, maxUnavailable, progressDeadlineSeconds };
}

/** The collector of Azure Monitor's managed Prometheus, by the labels that AKS gives to its pods. */
const managedPrometheus = {
  namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": "kube-system" } },
  podSelector: { matchLabels: { rsName: "ama-metrics" } },
};

/**
 * GPU pods run where GPUs are. Pods without one may run anywhere but rather elsewhere: the pools are what the
 * configuration has counted room in, and a GPU node that is up anyway is better than none.
 */
function placement({ triton, gpuPools }: Config) {
  const tolerations = gpuTolerations(gpuPools);
  if (triton.resources.gpus > 0) return { tolerations, nodeSelector: gpuNodeLabel };
  const elsewhere = Object.keys(gpuNodeLabel).map((key) => ({ key, operator: "DoesNotExist" }));
  return {
    tolerations,
    affinity: {
      nodeAffinity: {
        preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 100, preference: { matchExpressions: elsewhere } }],
      },
    },
  };
}

/** What `helm test` asks about; empty when Triton starts without models. */
function firstLoadedModel({ modelControlMode, loadModels }: StackConfig["triton"], { models }: Release): string {
  const all = models.map(({ name }) => name);
  const loaded = modelControlMode === "explicit" && !loadModels.includes("*") ? loadModels : all;
  return loaded[0] ?? "";
}
