import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type ClusterApi, openCluster } from "../../../components/kubernetes/cluster-api";
import { breakdown, diagnose } from "../../../components/kubernetes/release-diagnosis";
import { ApiServer } from "./api-server";
import { crashing, deployment, event, pod, ready } from "./pods";

const release = { name: "triton", namespace: "triton" };
let server: ApiServer;
let api: ClusterApi;

beforeEach(async () => {
  server = await new ApiServer().start();
  api = await openCluster(server.kubeconfig());
  server.put(deployment());
});
afterEach(() => server.stop());

const broken = "E1201 failed to load 'classifier' version 1: Invalid argument: unable to parse config.pbtxt";

describe("diagnose", () => {
  it("K15: shows the last words of a container that crashes", async () => {
    server.put(pod("triton-1", { containers: [crashing(`I1201 starting\n${broken}\n`)] }));
    expect(await diagnose(api, release)).toBe(
      [
        "Pod triton-1 on node aks-t4-1 is not ready.",
        "Container triton: CrashLoopBackOff: back-off 1m20s restarting failed container",
        "Container triton ended with exit code 1 (Error), restarts: 4.",
        "The last words of container triton:",
        "  I1201 starting",
        `  ${broken}`,
      ].join("\n"),
    );
  });

  it("shows the errors of the log rather than the last words, which hold Triton's table of options alone", async () => {
    server.put(pod("triton-1", { containers: [crashing("| exit_timeout | 30 |")] }));
    server.logs.set("triton-1 triton", "of the container that runs by now");
    server.logs.set("triton-1 triton previous", `I1201 starting\n${broken}\n| exit_timeout | 30 |\n`);
    expect(await diagnose(api, release)).toBe(
      [
        "Pod triton-1 on node aks-t4-1 is not ready.",
        "Container triton: CrashLoopBackOff: back-off 1m20s restarting failed container",
        "Container triton ended with exit code 1 (Error), restarts: 4.",
        "Errors in the log of container triton:",
        `  ${broken}`,
      ].join("\n"),
    );
  });

  it("shows the errors of a container that runs and is not ready", async () => {
    server.put(
      pod("triton-1", { containers: [{ name: "triton", ready: false, restartCount: 0, state: { running: {} } }] }),
    );
    server.logs.set("triton-1 triton", `I1201 starting\n${broken}\n`);
    expect(await diagnose(api, release)).toContain(`Errors in the log of container triton:\n  ${broken}`);
  });

  it("shows the end of a long message only", async () => {
    const log = Array.from({ length: 70 }, (_, line) => `line ${line}`).join("\n");
    server.put(pod("triton-1", { containers: [crashing(log)] }));
    const text = await diagnose(api, release);
    expect(text).toContain("  line 69");
    expect(text).toContain("  line 50\n");
    expect(text).not.toContain("  line 49\n");
  });

  it("tells a container that ran out of memory", async () => {
    const killed = { ...crashing(""), lastState: { terminated: { exitCode: 137, reason: "OOMKilled" } } };
    server.put(pod("triton-1", { containers: [killed] }));
    expect(await diagnose(api, release)).toContain(
      "exit code 137 (OOMKilled), restarts: 4.\nThe last words of container triton:\n  (none)",
    );
  });

  it("K5: shows what the scheduler says of a pod that has no node, once", async () => {
    const message = "0/5 nodes are available: 5 Insufficient nvidia.com/gpu.";
    const conditions = [{ type: "PodScheduled", status: "False", reason: "Unschedulable", message }];
    server.put(pod("triton-1", { node: undefined, conditions }));
    server.put(event("triton-1", "FailedScheduling", message));
    expect(await diagnose(api, release)).toBe(`Pod triton-1 has no node.\nUnschedulable: ${message}`);
  });

  it("shows why an image cannot be pulled", async () => {
    const waiting = {
      reason: "ImagePullBackOff",
      message: 'Back-off pulling image "nvcr.io/nvidia/tritonserver:26.99"',
    };
    server.put(
      pod("triton-1", { containers: [{ name: "triton", ready: false, restartCount: 0, state: { waiting } }] }),
    );
    server.put(event("triton-1", "Failed", "failed to resolve reference: not found"));
    const text = await diagnose(api, release);
    expect(text).toContain(
      'Container triton: ImagePullBackOff: Back-off pulling image "nvcr.io/nvidia/tritonserver:26.99"',
    );
    expect(text).toContain("Failed: failed to resolve reference: not found");
  });

  it("K1: shows the newest failure of a probe", async () => {
    const running = { name: "triton", ready: false, restartCount: 0, state: { running: {} } };
    server.put(pod("triton-1", { containers: [running] }));
    server.put(event("triton-1", "Unhealthy", "Startup probe failed: connection refused"));
    const later = { lastTimestamp: "2026-01-01T00:20:00Z" };
    server.put(event("triton-1", "Unhealthy", "Startup probe failed: HTTP probe failed with statuscode: 400", later));
    server.put(event("triton-2", "Unhealthy", "of another pod"));
    server.put(event("triton-1", "Pulled", "no warning", { type: "Normal" }));
    expect(await diagnose(api, release)).toBe(
      "Pod triton-1 on node aks-t4-1 is not ready.\nUnhealthy: Startup probe failed: HTTP probe failed with statuscode: 400",
    );
  });

  it("shows why a pod was evicted", async () => {
    server.put(pod("triton-1", { reason: "Evicted", message: "Usage of EmptyDir volume exceeds the limit 3Gi." }));
    expect(await diagnose(api, release)).toContain("Evicted: Usage of EmptyDir volume exceeds the limit 3Gi.");
  });

  it("speaks of the newest pod that fails: not of ready ones, those on their way out, or others' pods", async () => {
    server.put(pod("old", { created: "2026-01-01T00:00:00Z", containers: [crashing("of the old one")] }));
    server.put(pod("new", { created: "2026-01-02T00:00:00Z", containers: [crashing("of the new one")] }));
    server.put(pod("serving", { created: "2026-01-03T00:00:00Z", conditions: ready }));
    const going = pod("going", { created: "2026-01-04T00:00:00Z" });
    going.metadata["deletionTimestamp"] = "2026-01-04T00:01:00Z";
    server.put(going);
    server.put(pod("foreign", { created: "2026-01-05T00:00:00Z", labels: { app: "other" } }));
    const text = await diagnose(api, release);
    expect(text).toContain("Pod new on node");
    expect(text).toContain("of the new one");
    expect(text).not.toContain("of the old one");
  });

  it("shows what keeps pods from being made", async () => {
    const message = 'pods "triton-1" is forbidden: exceeded quota: gpus';
    server.put(deployment([{ type: "ReplicaFailure", status: "True", reason: "FailedCreate", message }]));
    expect(await diagnose(api, release)).toBe(`No pod can be made: ${message}`);
  });

  it("has nothing to say while all pods are ready", async () => {
    server.put(pod("triton-1", { conditions: ready }));
    expect(await diagnose(api, release)).toBeUndefined();
  });
});

describe("breakdown", () => {
  const waiting = (reason: string) => ({
    name: "triton",
    ready: false,
    restartCount: 0,
    state: { waiting: { reason } },
  });

  it.each([
    [
      "has no node yet",
      { node: undefined, conditions: [{ type: "PodScheduled", status: "False", reason: "Unschedulable" }] },
    ],
    ["waits for its image", { containers: [waiting("ContainerCreating")] }],
    ["loads its models", { containers: [{ name: "triton", ready: false, restartCount: 0, state: { running: {} } }] }],
    ["is ready", { conditions: ready }],
  ])("is nothing while the pod %s", async (_, state) => {
    server.put(pod("triton-1", state));
    expect(await breakdown(api, release)).toBeUndefined();
  });

  it.each([
    ["crashes", { containers: [crashing(broken)] }],
    ["has no image", { containers: [waiting("ErrImagePull")] }],
    ["lacks a Secret", { containers: [waiting("CreateContainerConfigError")] }],
    ["was evicted", { reason: "Evicted", message: "disk" }],
  ])("is told of a pod that %s", async (_, state) => {
    server.put(pod("triton-1", state));
    expect(await (await breakdown(api, release))?.explain()).toContain("Pod triton-1");
  });

  it("has the same cause as long as the same thing repeats", async () => {
    const causes = [];
    for (const restartCount of [1, 2]) {
      for (const state of [{ waiting: { reason: "CrashLoopBackOff" } }, { running: {} }]) {
        server.put(pod("triton-1", { containers: [{ ...crashing(broken), restartCount, state }] }));
        causes.push((await breakdown(api, release))?.cause);
      }
    }
    expect(new Set(causes).size).toBe(1);
    expect(causes[0]).toBeDefined();
  });
});
