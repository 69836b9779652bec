import { MiB } from "./quantity";
import type { Release } from "./release";

/** What the time from "pod wanted" to "pod ready" is made of. All values in seconds but the rate. */
export interface StartupTimes {
  /** Until a new GPU node has joined the cluster. */
  readonly nodeSeconds: number;
  /** Until the image is on the node and unpacked. */
  readonly pullSeconds: number;
  /** Until a new role assignment or federated credential is honoured everywhere. */
  readonly propagationSeconds: number;
  /** Rate at which Triton copies models, in MiB/s. It copies one blob after another and keeps nothing over a restart. */
  readonly downloadMiBps: number;
  /** Initialisation of one model after its files are there. Models load one after another in the worst case. */
  readonly perModelSeconds: number;
}

/** Seconds that Triton needs to copy and load a release. */
export function loadSeconds(release: Pick<Release, "sizeBytes" | "models">, times: StartupTimes): number {
  const copying = release.sizeBytes / MiB / times.downloadMiBps;
  return Math.ceil(copying + release.models.length * times.perModelSeconds);
}

/**
 * Seconds that the start-up probe allows a container: loading, and the propagation of rights, because Triton ends when it
 * is refused and the kubelet starts it again. Node and image are there before a container starts and do not count. Never
 * below ten, which is the least that the chart takes.
 */
export const startupBudgetSeconds = (release: Pick<Release, "sizeBytes" | "models">, times: StartupTimes): number =>
  Math.max(10, loadSeconds(release, times) + times.propagationSeconds);

/**
 * Seconds within which a roll-out of so many waves must end: each wave may need a node, the image and a whole start-up.
 * Kubernetes' own default (`progressDeadlineSeconds: 600`) is less than one node and one image. Never below a minute a
 * wave, which is the least that the chart takes.
 */
export const rolloutDeadlineSeconds = (budgetSeconds: number, waves: number, times: StartupTimes): number =>
  Math.max(60, times.nodeSeconds + times.pullSeconds + budgetSeconds) * Math.max(waves, 1);

/**
 * Seconds that an autoscaler waits before it takes replicas away: never less than a new one takes to load, or a short lull
 * costs a cold start. 300 is Kubernetes' own default.
 */
export const scaleDownWindowSeconds = (load: number): number => Math.max(300, load);
