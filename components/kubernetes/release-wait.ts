import { setTimeout as pause } from "node:timers/promises";
import { type ClusterApi, ClusterError } from "./cluster-api";
import { breakdown, diagnose } from "./release-diagnosis";
import type { HelmRelease } from "./release-repair";

/** Opens the cluster anew each time: a roll-out may take longer than a token lasts. */
type OpenCluster = () => Promise<ClusterApi>;

interface Deployment {
  readonly metadata: { readonly generation: number; readonly annotations?: Readonly<Record<string, string>> };
  readonly spec: { readonly selector: { readonly matchLabels: Readonly<Record<string, string>> } };
  readonly status?: { readonly observedGeneration?: number };
}

interface ReplicaSet {
  readonly metadata: { readonly annotations?: Readonly<Record<string, string>> };
  readonly status?: { readonly readyReplicas?: number };
}

/** Revision of a Deployment, on itself and on its ReplicaSets. */
const revisionKey = "deployment.kubernetes.io/revision";

/** Whether a pod of the newest revision of the release's Deployment is ready. */
async function serves(api: ClusterApi, { name, namespace }: HelmRelease): Promise<boolean> {
  const apps = `/apis/apps/v1/namespaces/${namespace}`;
  const deployment = await api.get<Deployment>(`${apps}/deployments/${name}`);
  if ((deployment.status?.observedGeneration ?? 0) < deployment.metadata.generation) return false;
  const labels = Object.entries(deployment.spec.selector.matchLabels).map(([key, value]) => `${key}=${value}`);
  const sets = await api.get<{ items: ReplicaSet[] }>(`${apps}/replicasets`, { labelSelector: labels.join(",") });
  const revision = deployment.metadata.annotations?.[revisionKey];
  const newest = sets.items.find(({ metadata }) => metadata.annotations?.[revisionKey] === revision);
  return (newest?.status?.readyReplicas ?? 0) > 0;
}

/**
 * Waits until a pod of the newest revision serves. A cluster that cannot be reached for a while is asked again.
 *
 * @throws ClusterError with what the failing pod says, when there is none by the deadline
 */
export async function untilServing(
  open: OpenCluster,
  release: HelmRelease,
  deadlineSeconds: number,
  pollSeconds = 5,
): Promise<void> {
  const end = Date.now() + deadlineSeconds * 1000;
  for (;;) {
    try {
      if (await serves(await open(), release)) return;
    } catch (error) {
      if (Date.now() >= end) throw error;
    }
    if (Date.now() >= end) break;
    await pause(pollSeconds * 1000);
  }
  const why = await diagnose(await open(), release);
  throw new ClusterError(`no pod serves after ${deadlineSeconds} s. ${why ?? ""}`.trimEnd());
}

/**
 * Looks at the pods while Helm waits for them, and tells what breaks them as soon as it is seen, each thing once: Helm waits
 * for a pod that crashes until the time for the whole roll-out is over. What cannot be asked is not told.
 *
 * @returns ends the watch
 */
export function watchPods(
  open: OpenCluster,
  release: HelmRelease,
  tell: (message: string) => void,
  pollSeconds = 30,
): () => void {
  const told = new Set<string>();
  const look = async () => {
    const broken = await breakdown(await open(), release);
    if (broken === undefined || told.has(broken.cause)) return;
    const explanation = await broken.explain();
    told.add(broken.cause);
    tell(explanation);
  };
  let busy = false;
  const timer = setInterval(() => {
    if (busy) return;
    busy = true;
    look()
      .catch(() => undefined)
      .finally(() => {
        busy = false;
      });
  }, pollSeconds * 1000).unref();
  return () => {
    clearInterval(timer);
  };
}
