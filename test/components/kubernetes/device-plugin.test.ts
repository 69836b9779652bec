import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { gpuTaint, spotTaint } from "../../../core/gpu-pool";
import { input, type Resource, type Run } from "../../support/engine";
import { runCluster } from "../azure/cluster-fixture";

interface Toleration {
  key: string;
  value: string;
  effect: string;
}

const pluginOf = (run: Run) => run.one("DaemonSet");
const pod = <T>(run: Run, path: string) => input<T>(pluginOf(run), `spec.template.spec${path}`);
const container = <T>(run: Run, path: string) => pod<T>(run, `.containers[0].${path}`);
const env = (run: Run) =>
  Object.fromEntries(container<{ name: string; value: string }[]>(run, "env").map(({ name, value }) => [name, value]));
const gpuPoolsOf = (run: Run) => run.all("AgentPool").filter(({ inputs }) => "gpuProfile" in inputs);

/** Whether the scheduler would place the plugin on nodes of the pool: labels match and every taint is tolerated. */
function runsOn(run: Run, pool: Resource): boolean {
  const labels = input<Record<string, string>>(pool, "nodeLabels");
  const taints = input<string[]>(pool, "nodeTaints");
  const tolerated = pod<Toleration[]>(run, ".tolerations").map(({ key, value, effect }) => `${key}=${value}:${effect}`);
  const selected = Object.entries(pod<Record<string, string>>(run, ".nodeSelector")).every(
    ([key, value]) => labels[key] === value,
  );
  return selected && taints.every((taint) => tolerated.includes(taint));
}

const mig = { vmSize: "Standard_NC24ads_A100_v4", migProfile: "MIG1g" };

describe("DevicePlugin", () => {
  it("A3, A4, A5: runs on every GPU pool, spot or not", async () => {
    const run = await runCluster({ gpuPools: [{ name: "t4" }, { name: "spot", spot: true }, { name: "mig", ...mig }] });
    expect(gpuPoolsOf(run)).toHaveLength(3);
    for (const pool of gpuPoolsOf(run)) expect(runsOn(run, pool)).toBe(true);
  });

  it("A5: tolerates spot nodes only where there are any", async () => {
    const keys = async (spot: boolean) =>
      pod<Toleration[]>(await runCluster({ gpuPools: [{ name: "t4", spot }] }), ".tolerations").map(({ key }) => key);
    expect(await keys(false)).toEqual([gpuTaint.key]);
    expect(await keys(true)).toEqual([gpuTaint.key, spotTaint.key]);
  });

  it("pins its image, in a namespace that may mount what it must", async () => {
    const run = await runCluster();
    expect(container(run, "image")).toMatch(/^nvcr\.io\/nvidia\/k8s-device-plugin:v\d+\.\d+\.\d+$/);
    expect(input(run.one("Namespace"), "metadata")).toEqual({
      name: "gpu-resources",
      labels: { "pod-security.kubernetes.io/enforce": "privileged" },
    });
    expect(input(pluginOf(run), "metadata.namespace")).toBe("gpu-resources");
    expect(pluginOf(run).dependencies).toContain(run.one("Namespace").urn);
  });

  it("has the least privileges that work: no capability, no token, one folder of the node", async () => {
    const run = await runCluster();
    expect(container(run, "securityContext")).toEqual({
      allowPrivilegeEscalation: false,
      capabilities: { drop: ["ALL"] },
    });
    expect(pod(run, ".automountServiceAccountToken")).toBe(false);
    expect(pod(run, ".securityContext.seccompProfile.type")).toBe("RuntimeDefault");
    expect(pod(run, ".volumes")).toEqual([
      { name: "device-plugins", hostPath: { path: "/var/lib/kubelet/device-plugins", type: "Directory" } },
    ]);
    expect(container(run, "volumeMounts")).toEqual([
      { name: "device-plugins", mountPath: "/var/lib/kubelet/device-plugins" },
    ]);
  });

  it("goes before other pods, within bounds, and rolls", async () => {
    const run = await runCluster();
    expect(pod(run, ".priorityClassName")).toBe("system-node-critical");
    expect(container(run, "resources")).toMatchObject({
      requests: { cpu: "10m", memory: "64Mi" },
      limits: { memory: "512Mi" },
    });
    expect(input(pluginOf(run), "spec.updateStrategy.type")).toBe("RollingUpdate");
    expect(input(pluginOf(run), "spec.selector.matchLabels")).toEqual(
      input(pluginOf(run), "spec.template.metadata.labels"),
    );
  });

  it("tries again until the driver is there, rather than idle without GPUs", async () => {
    expect(env(await runCluster())).toEqual({ MIG_STRATEGY: "none", FAIL_ON_INIT_ERROR: "true" });
  });

  it.each(["single", "mixed"])("offers MIG slices by strategy %s where a pool has a profile", async (migStrategy) => {
    const run = await runCluster({
      gpuPools: [{ name: "mig", ...mig }],
      cluster: { migStrategy },
      ...fitting(migStrategy),
    });
    expect(env(run)).toMatchObject({ MIG_STRATEGY: migStrategy, NVIDIA_MIG_MONITOR_DEVICES: "all" });
    expect(container(run, "securityContext")).toEqual({ capabilities: { drop: ["ALL"], add: ["SYS_ADMIN"] } });
  });

  it("ignores the MIG strategy where no pool has a profile", async () => {
    expect(env(await runCluster({ cluster: { migStrategy: "single" } }))).toMatchObject({ MIG_STRATEGY: "none" });
  });

  it("shares GPUs by time slices from a file that it reads", async () => {
    const run = await runCluster({
      cluster: { timeSlicing: 4 },
    });
    const configMap = run.one("ConfigMap", "device-plugin-config");
    expect(parse(input(configMap, ["data", "config.yaml"]))).toEqual({
      version: "v1",
      sharing: {
        timeSlicing: {
          failRequestsGreaterThanOne: true,
          resources: [{ name: "nvidia.com/gpu", replicas: 4 }],
        },
      },
    });
    expect(env(run)["CONFIG_FILE"]).toBe("/config/config.yaml");
    expect(container(run, "volumeMounts")).toContainEqual({ name: "config", mountPath: "/config", readOnly: true });
    expect(pod(run, ".volumes")).toContainEqual({
      name: "config",
      configMap: { name: input(configMap, "metadata.name") },
    });
  });

  it("makes new pods for another file, as the plugin reads it once", async () => {
    const annotations = async (timeSlicing: number) =>
      input(pluginOf(await runCluster({ cluster: { timeSlicing } })), "spec.template.metadata.annotations");
    expect(await annotations(2)).not.toEqual(await annotations(3));
    expect(await annotations(2)).toEqual(await annotations(2));
  });

  it("has no file without time slicing", async () => {
    expect((await runCluster()).all("ConfigMap")).toEqual([]);
  });

  it("has all it makes as its children, in the cluster of its provider", async () => {
    const run = await runCluster({ cluster: { timeSlicing: 2 } });
    const component = run.one("triton-azure:index:DevicePlugin");
    const children = run.childrenOf(component);
    expect(children.map(({ type }) => type.split(":").at(-1)).sort()).toEqual(["ConfigMap", "DaemonSet", "Namespace"]);
    for (const child of children) expect(child.provider).toContain(run.one("pulumi:providers:kubernetes").urn);
  });
});

/** Under `mixed` Triton must ask for slices by their own name, or nothing fits. */
const fitting = (strategy: string) =>
  strategy === "mixed" ? { triton: { resources: { gpuResource: "nvidia.com/mig-1g.10gb" } } } : {};
