import { describe, expect, it } from "vitest";
import { parseBytes } from "../../../core/quantity";
import { objectOf, objectsOf, template } from "../../support/helm";
import { configWith, release, runTriton, valuesOf } from "./triton-fixture";

/** The objects that Helm renders for a stack. */
const rendered = async (keys: Record<string, unknown> = {}, adminKey?: string) =>
  template(valuesOf(await runTriton(keys, adminKey === undefined ? {} : { adminKey })), { namespace: "triton" });
const deploymentOf = async (keys: Record<string, unknown> = {}) => objectOf(await rendered(keys), "Deployment");
const podOf = async (keys: Record<string, unknown> = {}) => (await deploymentOf(keys)).spec.template.spec;
const containerOf = async (keys: Record<string, unknown> = {}) => {
  const [container] = (await podOf(keys)).containers;
  if (container === undefined) throw new Error("no container");
  return container;
};

const everything = {
  modelStore: { auth: "account-key" },
  gpuPools: [
    { name: "t4", vmSize: "Standard_NC64as_T4_v3", osDiskSizeGiB: 256 },
    { name: "spot", spot: true },
  ],
  triton: {
    image: { repository: "registry.example/triton", tag: "24.10-py3", digest: `sha256:${"a".repeat(64)}` },
    resources: { gpus: 1, cpu: "3500m", memory: "20Gi", sharedMemory: "4Gi" },
    modelControlMode: "explicit",
    loadModels: ["scaler"],
    exitOnError: false,
    strictReadiness: false,
    exitTimeoutSeconds: 45,
    preStopSeconds: 20,
    responseCacheBytes: 2 ** 30,
    logFormat: "default",
    logVerbose: 1,
    rateLimiter: "execution_count",
    modelLoadThreads: 8,
    pinnedMemoryBytes: 2 ** 27,
    restrictedApis: ["model-repository", "logging"],
    extraArgs: ["--trace-config=rate=100"],
  },
};

describe("values of the chart", () => {
  it.each([
    ["the defaults", {}],
    ["account keys", { modelStore: { auth: "account-key" } }],
    ["every option", everything],
    ["no GPU", { triton: { resources: { gpus: 0 } } }],
  ])("are accepted by the chart: %s", async (_, keys) => {
    const objects = await rendered(keys, "key");
    expect(objects.map(({ kind }) => kind)).toEqual(expect.arrayContaining(["Deployment", "Service", "NetworkPolicy"]));
  });

  it("carry each option of the configuration", async () => {
    const objects = await rendered(everything, "key");
    const { spec } = objectOf(objects, "Deployment");
    const [container] = spec.template.spec.containers;
    expect(container?.image).toBe(`registry.example/triton@sha256:${"a".repeat(64)}`);
    expect(container?.args).toEqual(
      expect.arrayContaining([
        "--model-control-mode=explicit",
        "--load-model=scaler",
        "--exit-on-error=false",
        "--strict-readiness=false",
        "--exit-timeout-secs=45",
        `--cache-config=local,size=${2 ** 30}`,
        "--log-format=default",
        "--log-verbose=1",
        "--rate-limit=execution_count",
        "--model-load-thread-count=8",
        `--pinned-memory-pool-byte-size=${2 ** 27}`,
        "--http-restricted-api=model-repository,logging:triton-admin-key=$(TRITON_ADMIN_KEY)",
        "--trace-config=rate=100",
      ]),
    );
    expect(container?.resources.limits).toMatchObject({ memory: "20Gi", "nvidia.com/gpu": 1 });
    expect(spec.template.spec.volumes).toContainEqual(
      expect.objectContaining({ name: "shared-memory", emptyDir: { medium: "Memory", sizeLimit: "4Gi" } }),
    );
  });

  it("P21: leave the number of pods to the autoscaler", async () => {
    expect((await deploymentOf()).spec).not.toHaveProperty("replicas");
  });

  it("name the release on the pods, so that another one rolls them", async () => {
    const { metadata } = (await deploymentOf()).spec.template;
    expect(metadata.labels["triton/release"]).toBe("r2");
    expect(metadata.annotations["triton/chart-digest"]).toMatch(/^[0-9a-f]{16}$/);
  });

  it("T9: give the model volume more room than the release takes", async () => {
    const { volumes } = await podOf();
    const limit = volumes.find(({ name }) => name === "model-repository")?.emptyDir.sizeLimit ?? "";
    expect(parseBytes(limit)).toBeGreaterThan(release.sizeBytes * 1.1);
    expect((await containerOf()).env).toContainEqual({
      name: "TRITON_AZURE_MOUNT_DIRECTORY",
      value: "/var/lib/triton/models",
    });
  });

  it("K1: give the start-up probe the time that loading takes, and more", async () => {
    const { triton, startupBudgetSeconds } = configWith();
    const { startupProbe } = await containerOf();
    const budget = startupProbe.periodSeconds * startupProbe.failureThreshold;
    expect(startupBudgetSeconds).toBeGreaterThan(triton.startup.propagationSeconds);
    expect(budget).toBeGreaterThanOrEqual(startupBudgetSeconds);
    expect((await deploymentOf()).spec.progressDeadlineSeconds).toBeGreaterThan(budget);
  });

  it("K2: never make liveness depend on readiness", async () => {
    expect((await containerOf()).livenessProbe.httpGet.path).toBe("/v2/health/live");
  });

  it("K3: let pods end in peace", async () => {
    const keys = { triton: { exitTimeoutSeconds: 100, preStopSeconds: 50 } };
    expect((await podOf(keys)).terminationGracePeriodSeconds).toBeGreaterThan(150);
    expect((await containerOf(keys)).lifecycle.preStop.sleep.seconds).toBe(50);
  });

  it("T7: never have Triton poll the repository", async () => {
    expect((await containerOf()).args).toContain("--model-control-mode=none");
  });

  it.each([
    [1, 1, { maxSurge: 0, maxUnavailable: 1 }],
    [2, 2, { maxSurge: 0, maxUnavailable: 1 }],
    [1, 2, { maxSurge: 1, maxUnavailable: 0 }],
    [10, 12, { maxSurge: 2, maxUnavailable: 0 }],
  ])("K5: roll %i replicas in pools of %i so that nothing waits for a GPU for ever", async (max, nodes, expected) => {
    const keys = { autoscaling: { min: 1, max }, gpuPools: [{ name: "t4", max: nodes }] };
    expect((await deploymentOf(keys)).spec.strategy.rollingUpdate).toEqual(expected);
  });

  it("K9: have a headless Service for gRPC", async () => {
    const services = objectsOf(await rendered(), "Service");
    const headless = services.find(({ spec }) => spec.clusterIP === "None");
    expect(headless?.spec.ports.map(({ name }) => name)).toContain("grpc");
  });

  it("let managed Prometheus read the metrics, and no one else outside of the namespace", async () => {
    const { spec } = objectOf(await rendered(), "NetworkPolicy");
    expect(spec.ingress).toHaveLength(2);
    expect(spec.ingress[1]).toEqual({
      from: [
        {
          namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": "kube-system" } },
          podSelector: { matchLabels: { rsName: "ama-metrics" } },
        },
      ],
      ports: [{ port: 8002, protocol: "TCP" }],
    });
    expect(spec.ingress[0]?.from).toEqual([{ podSelector: {} }]);
  });

  it("A8: select GPU nodes by the label of the pools", async () => {
    const pod = await podOf({ gpuPools: [{ name: "t4" }, { name: "spot", spot: true }] });
    expect(pod.nodeSelector).toEqual({ "nvidia.com/gpu.present": "true" });
    expect(pod.tolerations.map(({ key }) => key)).toEqual(["sku", "kubernetes.azure.com/scalesetpriority"]);
  });

  it("A5: tolerate spot nodes only when there are some", async () => {
    expect((await podOf()).tolerations.map(({ key }) => key)).toEqual(["sku"]);
  });

  it("keep pods without a GPU off GPU nodes when others will do, but not at any price", async () => {
    const pod = await podOf({ triton: { resources: { gpus: 0 } } });
    expect(pod).not.toHaveProperty("nodeSelector");
    expect(pod.tolerations.map(({ key }) => key)).toEqual(["sku"]);
    expect(pod.affinity.nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution).toEqual([
      { weight: 100, preference: { matchExpressions: [{ key: "nvidia.com/gpu.present", operator: "DoesNotExist" }] } },
    ]);
  });

  it.each([
    ["of the release", {}, "classifier"],
    ["that is loaded", { modelControlMode: "explicit", loadModels: ["scaler"] }, "scaler"],
    ["of the release with *", { modelControlMode: "explicit", loadModels: ["*"] }, "classifier"],
    ["when none is loaded", { modelControlMode: "explicit" }, ""],
  ])("have helm test ask for a model %s", async (_, triton, model) => {
    expect(valuesOf(await runTriton({ triton }))["test"]).toEqual({ model });
  });

  it("render pods that the namespace's Pod Security Standard admits", async () => {
    const objects = await rendered(everything, "key");
    const pods = [objectOf(objects, "Deployment").spec.template.spec, objectOf(objects, "Pod").spec];
    for (const pod of pods) {
      expect(pod.securityContext).toMatchObject({ runAsNonRoot: true, seccompProfile: { type: "RuntimeDefault" } });
      for (const { securityContext } of pod.containers) {
        expect(securityContext).toMatchObject({ allowPrivilegeEscalation: false, capabilities: { drop: ["ALL"] } });
      }
      for (const volume of pod.volumes ?? []) expect(Object.keys(volume)).toEqual(["name", "emptyDir"]);
    }
  });
});
