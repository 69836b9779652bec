import fc from "fast-check";
import type { Values } from "../support/helm";

const oneOf = fc.constantFrom;
/** Any subset of the members. What is left out takes the chart's default. */
const some = <T>(members: { [K in keyof T]: fc.Arbitrary<T[K]> }) => fc.record<T, never>(members, { requiredKeys: [] });
const few = <T>(item: fc.Arbitrary<T>, selector: (value: T) => unknown = (value) => value) =>
  fc.uniqueArray(item, { maxLength: 3, selector });

/** Names that YAML takes for something else unless they are quoted, among common ones. */
const name = oneOf("triton", "a", "true", "null", "yes", "on", "e1", "x-1");
const objectName = fc.oneof(name, oneOf("123", "1e3", "0x1f", "a.b-c"));
const labelValue = fc.oneof(objectName, oneOf("", "A_b.c", "0755"));
const labels = fc.dictionary(oneOf("team", "tier", "example.com/owner", "x"), labelValue, { maxKeys: 3 });
const text = fc.oneof(
  fc.string({ unit: "grapheme-ascii", maxLength: 20 }),
  oneOf("", "true", "1e3", "é 模型 😀", "{{ .Values }}", "a: b", "- '\"#"),
);
const size = fc.tuple(fc.integer({ min: 1, max: 900 }), oneOf("Mi", "M", "Ki")).map(([n, unit]) => `${n}${unit}`);
const disk = fc.oneof(
  size,
  fc.double({ min: 1, max: 500, noNaN: true }).map((n) => `${n.toFixed(1)}Gi`),
  oneOf("1Ti", "123456789", "0.5Gi"),
);
const octet = fc.integer({ min: 0, max: 255 });
const cidr = fc.oneof(
  oneOf("0.0.0.0/0", "169.254.0.0/16", "169.254.169.248/29", "168.0.0.0/7"),
  fc.tuple(octet, octet, oneOf("0.0/16", "128.0/17", "0.0/20")).map((parts) => parts.join(".")),
);
const ports = fc.uniqueArray(fc.integer({ min: 1, max: 65535 }), { minLength: 1, maxLength: 3 });
const selector = fc.record({ matchLabels: labels });
const peer = fc.oneof(
  fc.record({ namespaceSelector: selector }),
  fc.record({ podSelector: selector }),
  fc.record({ namespaceSelector: selector, podSelector: selector }),
);
const rangePeer = oneOf("10.0.0.10/32", "169.254.10.10/32", "8.8.8.8/32").map((range) => ({
  ipBlock: { cidr: range },
}));

const image = fc
  .record({
    repository: oneOf("nvcr.io/nvidia/tritonserver", "localhost:5000/triton", "registry.example/team/triton"),
    tag: oneOf("26.07-py3", "latest", "", "1.0", `v1-${"x".repeat(100)}`),
    digest: oneOf("", `sha256:${"0123456789abcdef".repeat(4)}`),
    pullPolicy: oneOf("IfNotPresent", "Always", "Never"),
    pullSecrets: few(objectName),
  })
  .map((value) => (value.digest === "" && /^(latest)?$/.test(value.tag) ? { ...value, tag: "26.07-py3" } : value));

/** A repository, and how its models are controlled, which depends on where it is. */
const models = fc
  .record({
    url: oneOf(
      "",
      "/models",
      "/mnt/a/b.c",
      "as://account/container",
      "as://a/c/releases/r1",
      "s3://https://h:9000/b",
      "gs://b/p",
    ),
    claim: oneOf("", "123", "models"),
    mode: oneOf("none", "explicit", "poll"),
    load: oneOf([], ["*"], ["a", "true"]),
  })
  .map(({ url, claim, mode, load }) => {
    const isPath = url.startsWith("/");
    const modelControlMode = mode === "poll" && !isPath ? "none" : mode;
    return {
      modelRepository: { url, existingClaim: isPath ? claim : "" },
      triton: { modelControlMode, loadModels: modelControlMode === "explicit" ? load : [] },
    };
  });

const triton = some({
  modelLoadThreads: fc.integer({ min: 1, max: 64 }),
  exitOnError: fc.boolean(),
  strictReadiness: fc.boolean(),
  exitTimeoutSeconds: fc.integer({ min: 1, max: 3600 }),
  logFormat: oneOf("default", "ISO8601"),
  logVerbose: fc.integer({ min: 0, max: 9 }),
  rateLimiter: oneOf("off", "execution_count"),
  rateLimitResources: few(oneOf("R1:2", "R2:1:0")),
  responseCacheBytes: fc.integer({ min: 0, max: 2 ** 31 }),
  pinnedMemoryPoolBytes: fc.option(fc.integer({ min: 0, max: 2 ** 32 })),
  httpThreadCount: fc.option(fc.integer({ min: 1, max: 64 })),
  grpcMaxConnectionAgeSeconds: fc.option(fc.integer({ min: 0, max: 86400 })),
  backendConfig: few(oneOf("python,shm-default-byte-size=1048576", "default-max-batch-size=4")),
  restrictedApis: oneOf(
    {},
    { apis: ["trace"], secretName: "123", header: "yes", secretKey: "1e3" },
    { apis: ["inference", "logging", "metadata"], secretName: "admin" },
  ),
  metrics: some({
    enabled: fc.boolean(),
    intervalMilliseconds: fc.integer({ min: 100, max: 60000 }),
    summaryLatencies: fc.boolean(),
    config: few(oneOf("histogram_latencies=true", "a=b c")),
  }),
  extraArgs: few(oneOf("--id=server", "--log-info=true", "--model-namespacing=true", "--disable-auto-complete-config")),
});

const rollout = fc
  .record({
    maxSurge: fc.integer({ min: 0, max: 3 }),
    maxUnavailable: fc.integer({ min: 0, max: 3 }),
    budgetSeconds: fc.integer({ min: 10, max: 86400 }),
    beyond: fc.integer({ min: 60, max: 7200 }),
  })
  .map(({ maxSurge, maxUnavailable, budgetSeconds, beyond }) => ({
    startup: { budgetSeconds },
    rollout: {
      maxSurge: maxSurge + maxUnavailable === 0 ? 1 : maxSurge,
      maxUnavailable,
      progressDeadlineSeconds: budgetSeconds + beyond,
    },
  }));

const scaling = oneOf(
  {},
  { replicaCount: 7 },
  { replicaCount: 7, scaledExternally: true },
  { autoscaling: { enabled: true, minReplicas: 1, maxReplicas: 1 } },
  { autoscaling: { enabled: true, targetCPUUtilizationPercentage: null, targetMemoryUtilizationPercentage: 90 } },
);

const probe = some({
  periodSeconds: fc.integer({ min: 1, max: 60 }),
  timeoutSeconds: fc.integer({ min: 1, max: 60 }),
  failureThreshold: fc.integer({ min: 1, max: 60 }),
});

const networkPolicy = some({
  enabled: fc.boolean(),
  ingress: some({ sameNamespace: fc.boolean(), clients: few(fc.oneof(peer, rangePeer)), metrics: few(peer) }),
  egress: some({
    dns: few(fc.oneof(peer, rangePeer)),
    ranges: few(fc.record({ cidr, ports })),
    pods: few(fc.tuple(peer, ports).map(([selectors, allowed]) => ({ ...selectors, ports: allowed }))),
  }),
});

const volumeSource = fc.oneof(
  fc.record({ emptyDir: fc.record({ sizeLimit: disk }) }),
  fc.record({ emptyDir: fc.record({ sizeLimit: size, medium: oneOf("Memory") }) }),
  fc.record({ secret: fc.record({ secretName: objectName }) }),
  fc.record({ persistentVolumeClaim: fc.record({ claimName: objectName }) }),
);
const volumes = fc
  .dictionary(oneOf("engines", "true", "123", "certificates"), volumeSource, { maxKeys: 3 })
  .map((sources) => ({
    extraVolumes: Object.entries(sources).map(([volume, source]) => ({ name: volume, ...source })),
    extraVolumeMounts: Object.keys(sources).map((volume) => ({ name: volume, mountPath: `/opt/extra/${volume}` })),
  }));

const envVar = fc.oneof(
  fc.record({ name: oneOf("A", "yes", "NULL", "STORAGE_KEY"), value: text }),
  fc.record({
    name: oneOf("B", "SECRET"),
    valueFrom: fc.record({ secretKeyRef: fc.record({ name: objectName, key: oneOf("key", "1") }) }),
  }),
);

const rest = some({
  nameOverride: fc.oneof(name, fc.constant("")),
  fullnameOverride: fc.oneof(name, fc.constant("")),
  commonLabels: labels,
  image,
  releaseId: labelValue,
  chartDigest: text,
  gpus: fc.integer({ min: 0, max: 4 }),
  gpuResource: oneOf("nvidia.com/gpu", "nvidia.com/mig-1g.10gb"),
  sharedMemory: size,
  temporaryStorage: disk,
  logStorage: disk,
  env: few(envVar, (variable) => variable.name),
  envFrom: few(fc.record({ secretRef: fc.record({ name: objectName }) })),
  readiness: probe,
  liveness: probe,
  shutdown: some({ preStopSeconds: fc.integer({ min: 1, max: 600 }), marginSeconds: fc.integer({ min: 5, max: 600 }) }),
  service: some({
    annotations: fc.dictionary(oneOf("a", "example.com/b"), text),
    httpPort: fc.integer({ min: 1, max: 8000 }),
  }),
  serviceAccount: some({ create: fc.boolean(), name: fc.oneof(objectName, fc.constant("")) }),
  networkPolicy,
  podLabels: fc.dictionary(oneOf("identity.example/use", "pod"), labelValue),
  podAnnotations: fc.dictionary(oneOf("note", "example.com/note"), text),
  podSecurity: some({ runAsUser: fc.integer({ min: 1, max: 65535 }), fsGroup: fc.integer({ min: 1, max: 65535 }) }),
  nodeSelector: labels,
  tolerations: few(fc.record({ key: oneOf("sku", "spot"), operator: oneOf("Exists") })),
  topologySpread: fc.boolean(),
  priorityClassName: fc.oneof(objectName, fc.constant("")),
  runtimeClassName: fc.oneof(objectName, fc.constant("")),
  hostAliases: few(fc.record({ ip: oneOf("10.0.0.1"), hostnames: oneOf(["a.example"], ["1.example", "b"]) })),
  test: fc.oneof(
    oneOf({}),
    fc.record({ model: text.filter((model) => model !== ""), request: fc.dictionary(text, text) }),
  ),
});

/**
 * Values documents that the chart accepts: valid by the schema, and by the rules over several values. Memory is ample: that
 * it suffices is the chart's own check (`resources.memory`), which the refusals test.
 */
export const acceptedValues: fc.Arbitrary<Values> = fc
  .tuple(rest, models, triton, rollout, scaling, volumes, oneOf("64Gi", "40G", "128000Mi"), disk)
  .map(([others, repository, options, times, scale, extra, memory, sizeLimit]) => ({
    ...others,
    ...times,
    ...scale,
    ...extra,
    resources: { memory },
    modelRepository: { ...repository.modelRepository, volume: { sizeLimit } },
    triton: { ...options, ...repository.triton },
  }));
