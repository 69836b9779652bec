import { describe, expect, it } from "vitest";
import { objectOf, objectsOf, template } from "../support/helm";
import { optionOf, renderPod } from "./rendered";

const cloud = { modelRepository: { url: "as://account/container/releases/r1", volume: { sizeLimit: "20Gi" } } };

describe("security", () => {
  it("runs without root, privileges, a writable root file system or a token of the cluster", async () => {
    const { pod, container } = await renderPod();
    expect(pod.automountServiceAccountToken).toBe(false);
    expect(pod.securityContext).toMatchObject({
      runAsNonRoot: true,
      runAsUser: 1000,
      runAsGroup: 1000,
      fsGroup: 1000,
      seccompProfile: { type: "RuntimeDefault" },
    });
    expect(container.securityContext).toEqual({
      allowPrivilegeEscalation: false,
      privileged: false,
      readOnlyRootFilesystem: true,
      runAsNonRoot: true,
      capabilities: { drop: ["ALL"] },
    });
    expect(pod).not.toHaveProperty("hostNetwork");
    expect(pod).not.toHaveProperty("hostPID");
    expect(pod).not.toHaveProperty("hostIPC");
  });

  it("keeps the variables of Services out of Triton's environment", async () => {
    expect((await renderPod()).pod.enableServiceLinks).toBe(false);
  });

  it("hides the node's GPUs from a pod that asks for none", async () => {
    const hidden = { name: "NVIDIA_VISIBLE_DEVICES", value: "void" };
    expect((await renderPod({ gpus: 0 })).container.env).toContainEqual(hidden);
    expect((await renderPod({ gpus: 1 })).container.env).not.toContainEqual(hidden);
  });
});

describe("probes", () => {
  it("K1: gives a container its whole budget to start before liveness counts", async () => {
    const { container } = await renderPod({ startup: { budgetSeconds: 1234, periodSeconds: 10 } });
    expect(container.startupProbe.httpGet).toEqual({ path: "/v2/health/ready", port: "http" });
    expect(container.startupProbe.periodSeconds * container.startupProbe.failureThreshold).toBe(1240);
  });

  it("K2: asks `live` for liveness and `ready` for readiness alone", async () => {
    const { container } = await renderPod();
    expect(container.livenessProbe.httpGet.path).toBe("/v2/health/live");
    expect(container.readinessProbe.httpGet.path).toBe("/v2/health/ready");
  });
});

describe("shutdown", () => {
  it("K3: has a grace period beyond the preStop sleep and Triton's own time", async () => {
    const { pod, container } = await renderPod({
      triton: { exitTimeoutSeconds: 90 },
      shutdown: { preStopSeconds: 20, marginSeconds: 7 },
    });
    expect(optionOf(container, "exit-timeout-secs")).toEqual(["90"]);
    expect(container.lifecycle.preStop.sleep.seconds).toBe(20);
    expect(pod.terminationGracePeriodSeconds).toBe(117);
  });

  it("K3: has more than Kubernetes' 30 seconds by default, which equal Triton's own", async () => {
    const { pod, container } = await renderPod();
    const preStop = container.lifecycle.preStop.sleep.seconds;
    expect(optionOf(container, "exit-timeout-secs")).toEqual(["30"]);
    expect(pod.terminationGracePeriodSeconds).toBeGreaterThan(preStop + 30);
  });

  it("leaves the last lines of a crashed container's log in the pod's status", async () => {
    expect((await renderPod()).container.terminationMessagePolicy).toBe("FallbackToLogsOnError");
  });
});

describe("resources", () => {
  it("K4: has a /dev/shm of its own, within the memory limit", async () => {
    const { pod, container } = await renderPod({ sharedMemory: "2Gi", resources: { memory: "8Gi" } });
    expect(pod.volumes).toContainEqual({ name: "shared-memory", emptyDir: { medium: "Memory", sizeLimit: "2Gi" } });
    expect(container.volumeMounts).toContainEqual({ name: "shared-memory", mountPath: "/dev/shm" });
    expect(container.resources.limits["memory"]).toBe("8Gi");
    expect(container.resources.requests["memory"]).toBe("8Gi");
  });

  it("T9: copies a cloud repository to a volume of the given size, whatever the kind of cloud", async () => {
    const { pod, container } = await renderPod(cloud);
    expect(pod.volumes).toContainEqual({ name: "model-repository", emptyDir: { sizeLimit: "20Gi" } });
    expect(container.volumeMounts).toContainEqual({ name: "model-repository", mountPath: "/var/lib/triton/models" });
    for (const store of ["AWS", "AZURE", "GCS"]) {
      const variable = { name: `TRITON_${store}_MOUNT_DIRECTORY`, value: "/var/lib/triton/models" };
      expect(container.env).toContainEqual(variable);
    }
  });

  it("T9: removes what a killed container left in the volume, and leaves Triton as process 1", async () => {
    const { container } = await renderPod(cloud);
    expect(container).not.toHaveProperty("command");
    expect(container.args.slice(0, 4)).toEqual([
      "sh",
      "-c",
      'rm -rf "$0"/* && exec tritonserver "$@"',
      "/var/lib/triton/models",
    ]);
  });

  it("needs no shell and no model volume for a repository that is in the container", async () => {
    const { pod, container } = await renderPod({ modelRepository: { url: "/models" } });
    expect(container.args[0]).toBe("tritonserver");
    expect(pod.volumes.map(({ name }) => name)).toEqual(["shared-memory", "temporary"]);
  });

  it("mounts an existing claim at the path of the repository, read-only", async () => {
    const { pod, container } = await renderPod({ modelRepository: { url: "/models", existingClaim: "models" } });
    expect(pod.volumes).toContainEqual({
      name: "model-repository",
      persistentVolumeClaim: { claimName: "models", readOnly: true },
    });
    expect(container.volumeMounts).toContainEqual({ name: "model-repository", mountPath: "/models", readOnly: true });
  });

  it("asks for the node disk that its volumes and its log can fill", async () => {
    const { container } = await renderPod({
      ...cloud,
      temporaryStorage: "3Gi",
      logStorage: "100Mi",
      extraVolumes: [
        { name: "engines", emptyDir: { sizeLimit: "1500M" } },
        { name: "memory", emptyDir: { medium: "Memory", sizeLimit: "1Gi" } },
      ],
    });
    const bytes = 20 * 2 ** 30 + 3 * 2 ** 30 + 100 * 2 ** 20 + 1500e6;
    const expected = `${Math.ceil(bytes / 2 ** 20)}Mi`;
    expect(container.resources.requests["ephemeral-storage"]).toBe(expected);
    expect(container.resources.limits["ephemeral-storage"]).toBe(expected);
  });

  it("does not count a model volume that is not there", async () => {
    const { container } = await renderPod({ modelRepository: { url: "/models" } });
    expect(container.resources.limits["ephemeral-storage"]).toBe("2560Mi");
  });

  it("asks for GPUs or MIG slices by name, and for none with 0", async () => {
    const gpu = (await renderPod({ gpus: 2 })).container.resources;
    expect(gpu.limits["nvidia.com/gpu"]).toBe(2);
    expect(gpu.requests["nvidia.com/gpu"]).toBe(2);
    const slice = (await renderPod({ gpuResource: "nvidia.com/mig-1g.10gb" })).container.resources;
    expect(slice.limits["nvidia.com/mig-1g.10gb"]).toBe(1);
    expect(slice.limits).not.toHaveProperty("nvidia.com/gpu");
    const cpu = (await renderPod({ gpus: 0 })).container.resources;
    expect(Object.keys(cpu.limits)).toEqual(["memory", "ephemeral-storage"]);
  });

  it("limits the CPU only when told to", async () => {
    expect((await renderPod()).container.resources.limits).not.toHaveProperty("cpu");
    expect((await renderPod({ resources: { cpuLimit: "4" } })).container.resources.limits["cpu"]).toBe("4");
  });
});

describe("placement", () => {
  it("prefers an even spread over zones and nodes, among the pods of one revision", async () => {
    const { pod, metadata } = await renderPod();
    expect(pod.topologySpreadConstraints.map(({ topologyKey }) => topologyKey)).toEqual([
      "topology.kubernetes.io/zone",
      "kubernetes.io/hostname",
    ]);
    for (const constraint of pod.topologySpreadConstraints) {
      expect(constraint.whenUnsatisfiable).toBe("ScheduleAnyway");
      expect(constraint.matchLabelKeys).toEqual(["pod-template-hash"]);
      expect(metadata.labels).toMatchObject(constraint.labelSelector.matchLabels);
    }
    expect((await renderPod({ topologySpread: false })).pod).not.toHaveProperty("topologySpreadConstraints");
  });

  it("sends the server and its test to the same nodes", async () => {
    const placement = {
      nodeSelector: { "nvidia.com/gpu.present": "true" },
      tolerations: [{ key: "sku", operator: "Equal", value: "gpu", effect: "NoSchedule" }],
      affinity: { nodeAffinity: {} },
      priorityClassName: "serving",
      runtimeClassName: "nvidia",
      hostAliases: [{ ip: "10.0.0.4", hostnames: ["account.blob.core.windows.net"] }],
    };
    const objects = await template({ ...placement, image: { pullSecrets: ["registry"] } });
    const pods = [
      objectOf(objects, "Deployment").spec.template.spec,
      ...objectsOf(objects, "Pod").map(({ spec }) => spec),
    ];
    expect(pods).toHaveLength(2);
    for (const pod of pods) expect(pod).toMatchObject({ ...placement, imagePullSecrets: [{ name: "registry" }] });
  });

  it("mounts further volumes, such as a bundle of certificates", async () => {
    const volume = { name: "certificates", configMap: { name: "ca-bundle" } };
    const mount = { name: "certificates", mountPath: "/etc/ssl/certs/extra.crt", subPath: "ca.crt", readOnly: true };
    const { pod, container } = await renderPod({ extraVolumes: [volume], extraVolumeMounts: [mount] });
    expect(pod.volumes).toContainEqual(volume);
    expect(container.volumeMounts).toContainEqual(mount);
  });
});

describe("image", () => {
  const imageOf = async (image: object) =>
    (await renderPod({ image: { repository: "r.example/triton", ...image } })).container.image;
  const digest = `sha256:${"0a".repeat(32)}`;

  it("is named by its digest if there is one, else by its tag", async () => {
    expect(await imageOf({ tag: "26.07-py3" })).toBe("r.example/triton:26.07-py3");
    expect(await imageOf({ tag: "26.07-py3", digest })).toBe(`r.example/triton@${digest}`);
    expect(await imageOf({ tag: "latest", digest })).toBe(`r.example/triton@${digest}`);
  });
});

describe("environment", () => {
  it("takes credentials and settings from values, Secrets and ConfigMaps", async () => {
    const env = [
      { name: "STORAGE_REGION", value: "north" },
      { name: "STORAGE_KEY", valueFrom: { secretKeyRef: { name: "storage", key: "key" } } },
    ];
    const envFrom = [{ secretRef: { name: "credentials" } }];
    const { container } = await renderPod({ env, envFrom });
    expect(container.env).toEqual(expect.arrayContaining(env));
    expect(container.envFrom).toEqual(envFrom);
  });

  it("puts the home folder where files may be written", async () => {
    expect((await renderPod()).container.env).toContainEqual({ name: "HOME", value: "/tmp" });
  });
});
