import type { KubernetesObject } from "./api-server";

const selector = { "app.kubernetes.io/name": "triton", "app.kubernetes.io/instance": "triton" };

/** Triton's Deployment with a ReplicaSet for each revision, the newest last. */
export function deployment(conditions: object[] = [], observedGeneration = 2): KubernetesObject {
  return {
    kind: "Deployment",
    metadata: { name: "triton", generation: 2, annotations: { "deployment.kubernetes.io/revision": "2" } },
    spec: { selector: { matchLabels: selector } },
    status: { observedGeneration, conditions },
  };
}

export const replicaSet = (revision: number, readyReplicas: number): KubernetesObject => ({
  kind: "ReplicaSet",
  metadata: {
    name: `triton-${revision}`,
    labels: selector,
    annotations: { "deployment.kubernetes.io/revision": String(revision) },
  },
  status: { readyReplicas },
});

interface PodState {
  created?: string;
  node?: string | undefined;
  conditions?: object[];
  containers?: object[];
  reason?: string;
  message?: string;
  labels?: Record<string, string>;
}

export function pod(name: string, state: PodState = {}): KubernetesObject {
  const {
    created = "2026-01-01T00:00:00Z",
    conditions = [],
    containers = [],
    labels = selector,
    reason,
    message,
  } = state;
  const nodeName = "node" in state ? state.node : "aks-t4-1";
  return {
    kind: "Pod",
    metadata: { name, labels, creationTimestamp: created },
    spec: { ...(nodeName !== undefined && { nodeName }) },
    status: {
      conditions,
      containerStatuses: containers,
      ...(reason !== undefined && { reason }),
      ...(message !== undefined && { message }),
    },
  };
}

export const ready = [{ type: "Ready", status: "True" }];

/** Triton's container, restarting after an error that its log told. */
export const crashing = (message: string) => ({
  name: "triton",
  ready: false,
  restartCount: 4,
  state: { waiting: { reason: "CrashLoopBackOff", message: "back-off 1m20s restarting failed container" } },
  lastState: { terminated: { exitCode: 1, reason: "Error", message } },
});

export const event = (podName: string, reason: string, message: string, more: object = {}): KubernetesObject => ({
  kind: "Event",
  metadata: { name: `${podName}.${reason}.${message.length}` },
  involvedObject: { kind: "Pod", name: podName },
  type: "Warning",
  reason,
  message,
  lastTimestamp: "2026-01-01T00:10:00Z",
  ...more,
});
