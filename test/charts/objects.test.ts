import { describe, expect, it } from "vitest";
import { lint, notes, objectOf, objectsOf, template, templateText, type Values } from "../support/helm";
import { containerOf, renderPod } from "./rendered";

describe("chart", () => {
  it("lints and renders as it is", async () => {
    expect(await lint()).toContain("0 chart(s) failed");
    const kinds = (await template()).map(({ kind }) => kind).sort();
    expect(kinds).toEqual(
      ["Deployment", "NetworkPolicy", "Pod", "PodDisruptionBudget", "Service", "Service", "ServiceAccount"].sort(),
    );
  });

  it("P1: renders the same without a cluster, for which Helm libraries assume Kubernetes 1.20", async () => {
    expect(await templateText({}, { kubeVersion: "1.20.0" })).toBe(await templateText());
  });

  it("renders the same text as before with its defaults", async () => {
    expect(await templateText()).toMatchSnapshot();
  });

  it("renders the same text as before for a serving release", async () => {
    const text = await templateText({
      releaseId: "r1",
      chartDigest: "0123abcd",
      scaledExternally: true,
      modelRepository: { url: "as://account/model-repository/releases/r1" },
      podLabels: { "identity.example/use": "true" },
      serviceAccount: { annotations: { "identity.example/client-id": "id" } },
      env: [{ name: "STORAGE_AUTH", value: "default" }],
      rollout: { maxSurge: 0, maxUnavailable: 1 },
      test: { model: "feature-scaler", request: { inputs: [] } },
    });
    expect(text).toMatchSnapshot();
  });

  it("names no cloud in its templates", async () => {
    const text = (await templateText({ modelRepository: { volume: { mountPathEnv: ["MOUNT"] } } })).toLowerCase();
    for (const cloud of ["azure", "aws", "gcs"]) expect(text).not.toContain(cloud);
  });

  it("gives every object a namespace, and the recommended and common labels", async () => {
    for (const { metadata } of await template({ commonLabels: { team: "vision" }, autoscaling: { enabled: true } })) {
      expect(metadata.namespace).toBe("serving");
      expect(metadata.labels).toMatchObject({
        "app.kubernetes.io/name": "triton",
        "app.kubernetes.io/instance": "triton",
        "app.kubernetes.io/version": "26.07-py3",
        "app.kubernetes.io/managed-by": "Helm",
        team: "vision",
      });
    }
  });

  it("is named after the release, or as told", async () => {
    const nameOf = async (values: Values, release: string) =>
      objectOf(await template(values, { release }), "Deployment").metadata.name;
    expect(await nameOf({}, "vision")).toBe("vision-triton");
    expect(await nameOf({}, "triton-blue")).toBe("triton-blue");
    expect(await nameOf({ nameOverride: "server" }, "vision")).toBe("vision-server");
    expect(await nameOf({ fullnameOverride: "ocr" }, "vision")).toBe("ocr");
  });
});

describe("Deployment", () => {
  it("selects its pods by labels that no upgrade changes", async () => {
    const upgraded = { releaseId: "r2", chartDigest: "ff", image: { tag: "26.08-py3" }, commonLabels: { a: "b" } };
    const { deployment, metadata } = await renderPod(upgraded);
    expect(deployment.spec.selector).toEqual((await renderPod()).deployment.spec.selector);
    expect(metadata.labels).toMatchObject(deployment.spec.selector.matchLabels);
  });

  it("T6: rolls the pods when the model release or the chart changes", async () => {
    const { metadata } = await renderPod({ releaseId: "r1", chartDigest: "0123abcd", podAnnotations: { note: "x" } });
    expect(metadata.labels).toMatchObject({ "triton/release": "r1" });
    expect(metadata.annotations).toEqual({ "triton/chart-digest": "0123abcd", note: "x" });
  });

  it("P21: leaves the number of pods to whoever scales them", async () => {
    const replicas = async (values: Values) => (await renderPod(values)).deployment.spec.replicas;
    expect(await replicas({ replicaCount: 3 })).toBe(3);
    expect(await replicas({ replicaCount: 3, scaledExternally: true })).toBeUndefined();
    expect(await replicas({ replicaCount: 3, autoscaling: { enabled: true } })).toBeUndefined();
  });

  it("K5: replaces pods as told: new ones first by default, or an old one first where no GPU is free", async () => {
    const strategy = async (values: Values) => (await renderPod(values)).deployment.spec.strategy.rollingUpdate;
    expect(await strategy({})).toEqual({ maxSurge: 1, maxUnavailable: 0 });
    const lastGpu = { rollout: { maxSurge: 0, maxUnavailable: 1 } };
    expect(await strategy(lastGpu)).toEqual({ maxSurge: 0, maxUnavailable: 1 });
  });

  it("waits for a roll-out longer than one pod may take to start", async () => {
    const { deployment } = await renderPod();
    expect(deployment.spec.progressDeadlineSeconds).toBe(2400);
  });
});

describe("PodDisruptionBudget", () => {
  it("lets a drain take one pod at a time, even the only one, and any that is not ready", async () => {
    const objects = await template({ replicaCount: 1 });
    const { spec } = objectOf(objects, "PodDisruptionBudget");
    expect(spec).not.toHaveProperty("minAvailable");
    expect(spec.maxUnavailable).toBe(1);
    expect(spec.unhealthyPodEvictionPolicy).toBe("AlwaysAllow");
    expect(spec.selector).toEqual(objectOf(objects, "Deployment").spec.selector);
  });
});

describe("ServiceAccount", () => {
  it("carries the annotations of a cloud identity, and no token", async () => {
    const objects = await template({ serviceAccount: { name: "reader", annotations: { identity: "id" } } });
    const account = objectOf(objects, "ServiceAccount");
    expect(account.metadata).toMatchObject({ name: "reader", annotations: { identity: "id" } });
    expect(account.automountServiceAccountToken).toBe(false);
    expect(objectOf(objects, "Deployment").spec.template.spec.serviceAccountName).toBe("reader");
  });

  it("can be one that exists", async () => {
    const objects = await template({ serviceAccount: { create: false, name: "reader" } });
    expect(objectsOf(objects, "ServiceAccount")).toEqual([]);
    expect(objectOf(objects, "Deployment").spec.template.spec.serviceAccountName).toBe("reader");
  });
});

describe("HorizontalPodAutoscaler", () => {
  it("is off by default", async () => {
    expect(objectsOf(await template(), "HorizontalPodAutoscaler")).toEqual([]);
  });

  it("scales the Deployment by CPU, memory and further metrics", async () => {
    const metric = {
      type: "Pods",
      pods: { metric: { name: "queue" }, target: { type: "AverageValue", averageValue: "5" } },
    };
    const behavior = { scaleDown: { stabilizationWindowSeconds: 900 } };
    const autoscaling = { enabled: true, targetMemoryUtilizationPercentage: 80, metrics: [metric], behavior };
    const { spec } = objectOf(await template({ autoscaling }), "HorizontalPodAutoscaler");
    expect(spec.scaleTargetRef).toEqual({ apiVersion: "apps/v1", kind: "Deployment", name: "triton" });
    expect([spec.minReplicas, spec.maxReplicas]).toEqual([2, 10]);
    const utilization = (name: string, averageUtilization: number) => ({
      type: "Resource",
      resource: { name, target: { type: "Utilization", averageUtilization } },
    });
    expect(spec.metrics).toEqual([utilization("cpu", 70), utilization("memory", 80), metric]);
    expect(spec.behavior).toEqual(behavior);
  });
});

describe("helm test", () => {
  const request = { inputs: [{ name: "features", shape: [1, 2], datatype: "FP32", data: [1, 2] }] };

  it("asks the Service for an inference, from a pod that is no server", async () => {
    const objects = await template({ test: { model: "feature-scaler", request }, service: { httpPort: 80 } });
    const pod = objectOf(objects, "Pod");
    expect(pod.metadata.annotations?.["helm.sh/hook"]).toBe("test");
    expect(pod.metadata.labels?.["app.kubernetes.io/component"]).toBe("test");
    const { env } = containerOf(pod.spec);
    expect(env).toContainEqual({ name: "TRITON_URL", value: "http://triton.serving.svc:80" });
    expect(env).toContainEqual({ name: "TRITON_MODEL", value: "feature-scaler" });
    const sent = env.find(({ name }) => name === "TRITON_REQUEST")?.value;
    expect(JSON.parse(sent ?? "")).toEqual(request);
  });

  it("sends the key of restricted APIs", async () => {
    const restrictedApis = { apis: ["metadata"], secretName: "admin", header: "x-key" };
    const { env } = containerOf(objectOf(await template({ triton: { restrictedApis } }), "Pod").spec);
    expect(env).toContainEqual({ name: "TRITON_ADMIN_HEADER", value: "x-key" });
    expect(env).toContainEqual({
      name: "TRITON_ADMIN_KEY",
      valueFrom: { secretKeyRef: { name: "admin", key: "key" } },
    });
  });

  it("runs as safely as the server, and without a GPU", async () => {
    const objects = await template();
    const server = containerOf(objectOf(objects, "Deployment").spec.template.spec);
    const { spec } = objectOf(objects, "Pod");
    const test = containerOf(spec);
    expect(test.securityContext).toEqual(server.securityContext);
    expect(spec.automountServiceAccountToken).toBe(false);
    expect(Object.keys(test.resources.limits)).toEqual(["memory"]);
    expect(test.env).toContainEqual({ name: "NVIDIA_VISIBLE_DEVICES", value: "void" });
  });
});

describe("notes", () => {
  it("warn loudly of a server without models", async () => {
    expect(await notes()).toContain("WARNING: modelRepository.url is empty");
  });

  it.each([
    [{ rollout: { maxSurge: 0, maxUnavailable: 1 } }, "WARNING: rollout.maxUnavailable is 1"],
    [{ triton: { exitOnError: false } }, "WARNING: triton.exitOnError is false and triton.strictReadiness is true"],
    [{ networkPolicy: { enabled: false } }, "WARNING: networkPolicy.enabled is false"],
    [{ replicaCount: 1 }, "WARNING: one replica"],
  ])("warn of %j", async (values, warning) => {
    expect(await notes(values)).toContain(warning);
  });

  it("have no warning for a serving release with two pods", async () => {
    const text = await notes({ replicaCount: 2, releaseId: "r1", modelRepository: { url: "s3://bucket/r1" } });
    expect(text).toContain("serves s3://bucket/r1, release r1.");
    expect(text).not.toContain("WARNING");
  });
});
