import { type ClusterApi, ClusterError } from "./cluster-api";
import { errorLines } from "./container-log";
import type { HelmRelease } from "./release-repair";

/** The parts of Kubernetes' objects that tell why pods do not serve. */
export interface Deployment {
  readonly spec: { readonly selector: { readonly matchLabels: Readonly<Record<string, string>> } };
  readonly status?: { readonly conditions?: readonly Condition[] };
}

interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
  readonly message?: string;
}

export interface Pod {
  readonly metadata: { readonly name: string; readonly creationTimestamp: string; readonly deletionTimestamp?: string };
  readonly spec: { readonly nodeName?: string };
  readonly status: {
    readonly reason?: string;
    readonly message?: string;
    readonly conditions?: readonly Condition[];
    readonly initContainerStatuses?: readonly ContainerStatus[];
    readonly containerStatuses?: readonly ContainerStatus[];
  };
}

interface ContainerStatus {
  readonly name: string;
  readonly ready: boolean;
  readonly restartCount: number;
  readonly state?: ContainerState;
  readonly lastState?: ContainerState;
}

interface ContainerState {
  readonly running?: object;
  readonly waiting?: { readonly reason?: string; readonly message?: string };
  readonly terminated?: { readonly exitCode: number; readonly reason?: string; readonly message?: string };
}

export interface Event {
  readonly type: string;
  readonly reason: string;
  readonly message: string;
  readonly lastTimestamp?: string | null;
  readonly eventTime?: string | null;
}

/** Lines of logs that tell errors, by container. */
type LoggedErrors = ReadonlyMap<string, readonly string[]>;

/** Lines of a container's last words that are shown; the end tells more than the beginning. */
const shownLines = 20;

/**
 * Why the pods of a release's Deployment do not serve, in the words of the newest pod that does not: what the scheduler,
 * the kubelet or the container itself said. Undefined when all pods are ready.
 *
 * @throws ClusterError when the cluster cannot be asked
 */
export async function diagnose(api: ClusterApi, release: HelmRelease): Promise<string | undefined> {
  const { deployment, pods } = await podsOf(api, release);
  const failing = newestFailing(pods);
  return failing === undefined ? explainDeployment(deployment) : explain(api, release, failing);
}

/**
 * What breaks the newest pod of a release, if anything does: undefined while it merely waits for its node, image or models.
 * Events and logs are read by `explain` alone, for causes that are new.
 */
export async function breakdown(
  api: ClusterApi,
  release: HelmRelease,
): Promise<{ cause: string; explain: () => Promise<string> } | undefined> {
  const failing = newestFailing((await podsOf(api, release)).pods);
  const cause = failing && causeOf(failing);
  if (failing === undefined || cause === undefined) return undefined;
  return { cause, explain: () => explain(api, release, failing) };
}

async function explain(api: ClusterApi, release: HelmRelease, pod: Pod): Promise<string> {
  return explainPod(pod, await eventsOf(api, release, pod), await errorsOf(api, release, pod));
}

/** The end of a container, or what the kubelet does not start it for, as text that stays the same while it repeats. */
function causeOf(pod: Pod): string | undefined {
  for (const container of containersOf(pod)) {
    const ended = endOf(container);
    if (ended !== undefined && ended.exitCode !== 0) return `${container.name} ${ended.exitCode} ${ended.reason ?? ""}`;
    const waiting = container.state?.waiting?.reason ?? "";
    if (/^(ErrImage|ImagePull|InvalidImage|CreateContainer|RunContainer)/.test(waiting))
      return `${container.name} image or settings`;
  }
  return pod.status.reason;
}

async function podsOf(
  api: ClusterApi,
  { name, namespace }: HelmRelease,
): Promise<{ deployment: Deployment; pods: readonly Pod[] }> {
  const deployment = await api.get<Deployment>(`/apis/apps/v1/namespaces/${namespace}/deployments/${name}`);
  const labels = Object.entries(deployment.spec.selector.matchLabels).map(([key, value]) => `${key}=${value}`);
  const pods = await api.get<{ items: Pod[] }>(`/api/v1/namespaces/${namespace}/pods`, {
    labelSelector: labels.join(","),
  });
  return { deployment, pods: pods.items };
}

async function eventsOf(api: ClusterApi, { namespace }: HelmRelease, pod: Pod): Promise<readonly Event[]> {
  const fieldSelector = `involvedObject.kind=Pod,involvedObject.name=${pod.metadata.name}`;
  return (await api.get<{ items: Event[] }>(`/api/v1/namespaces/${namespace}/events`, { fieldSelector })).items;
}

/** The lines that tell errors in the logs of a pod's containers that are not ready, by the container's name. */
async function errorsOf(api: ClusterApi, { namespace }: HelmRelease, pod: Pod): Promise<LoggedErrors> {
  const read = async ({ name, state, lastState }: ContainerStatus): Promise<readonly [string, readonly string[]]> => {
    const previous = state?.terminated === undefined && lastState?.terminated !== undefined;
    const query = { container: name, previous: String(previous), tailLines: "2000", limitBytes: String(1024 * 1024) };
    try {
      const log = await api.getText(`/api/v1/namespaces/${namespace}/pods/${pod.metadata.name}/log`, query);
      return [name, errorLines(log)];
    } catch (error) {
      // A kubelet that does not answer, or has removed the log: the termination message remains.
      if (error instanceof ClusterError) return [name, []];
      throw error;
    }
  };
  const started = containersOf(pod).filter(
    (container) => !container.ready && (container.state?.running ?? endOf(container)),
  );
  return new Map(await Promise.all(started.map(read)));
}

/** The newest pod that is not ready and not on its way out. */
function newestFailing(pods: readonly Pod[]): Pod | undefined {
  return pods
    .filter((pod) => pod.metadata.deletionTimestamp === undefined && condition(pod, "Ready")?.status !== "True")
    .sort((a, b) => (a.metadata.creationTimestamp < b.metadata.creationTimestamp ? 1 : -1))[0];
}

const condition = ({ status }: Pod, type: string): Condition | undefined =>
  status.conditions?.find((found) => found.type === type);

/** Why there are no pods at all: a quota or an admission rule, which the Deployment alone records. */
function explainDeployment({ status }: Deployment): string | undefined {
  const failure = status?.conditions?.find(({ type, status }) => type === "ReplicaFailure" && status === "True");
  return failure?.message === undefined ? undefined : `No pod can be made: ${failure.message}`;
}

/** What is known of a pod that does not serve: one headline, then its reasons. */
function explainPod(pod: Pod, events: readonly Event[], errors: LoggedErrors): string {
  const { nodeName } = pod.spec;
  const scheduled = condition(pod, "PodScheduled");
  const reasons = [
    ...(scheduled?.status === "False" ? [`${scheduled.reason ?? "Pending"}: ${scheduled.message ?? ""}`] : []),
    ...(pod.status.reason === undefined ? [] : [`${pod.status.reason}: ${pod.status.message ?? ""}`]),
    ...containersOf(pod).flatMap((container) => explainContainer(container, errors.get(container.name) ?? [])),
  ];
  const warnings = newestWarnings(events, reasons);
  const where = nodeName === undefined ? "has no node" : `on node ${nodeName} is not ready`;
  return [`Pod ${pod.metadata.name} ${where}.`, ...reasons, ...warnings].map((line) => line.trimEnd()).join("\n");
}

const containersOf = ({ status }: Pod): readonly ContainerStatus[] => [
  ...(status.initContainerStatuses ?? []),
  ...(status.containerStatuses ?? []),
];

/** How a container ended that does not run, or its predecessor did. */
const endOf = ({ state, lastState }: ContainerStatus) => state?.terminated ?? lastState?.terminated;

function explainContainer(container: ContainerStatus, errors: readonly string[]): string[] {
  const { name, ready, restartCount, state } = container;
  const ended = endOf(container);
  if (ready || (ended?.exitCode === 0 && state?.waiting === undefined)) return [];
  const waiting = state?.waiting && [state.waiting.reason, state.waiting.message].filter(Boolean).join(": ");
  const lines: string[] = [];
  if (waiting !== undefined) lines.push(`Container ${name}: ${waiting}`);
  if (ended !== undefined) {
    const reason = ended.reason ?? "unknown";
    lines.push(`Container ${name} ended with exit code ${ended.exitCode} (${reason}), restarts: ${restartCount}.`);
  }
  if (errors.length > 0) lines.push(`Errors in the log of container ${name}:`, ...errors.map(indent));
  else if (ended !== undefined)
    lines.push(`The last words of container ${name}:`, ...lastWords(ended.message).map(indent));
  return lines;
}

const indent = (line: string): string => `  ${line}`;

/** With `terminationMessagePolicy: FallbackToLogsOnError` the message is the end of the log, 2 KiB at most. */
function lastWords(message = ""): string[] {
  return message.trim() === "" ? ["(none)"] : message.trimEnd().split("\n").slice(-shownLines);
}

/** The newest warnings, each reason once; those that say again what is known, as `BackOff` does, are left out. */
function newestWarnings(events: readonly Event[], known: readonly string[]): string[] {
  const time = (event: Event) => event.lastTimestamp ?? event.eventTime ?? "";
  const byReason = new Map<string, Event>();
  for (const event of [...events].sort((a, b) => (time(a) < time(b) ? -1 : 1))) {
    if (event.type === "Warning" && event.reason !== "BackOff") byReason.set(event.reason, event);
  }
  return [...byReason.values()]
    .filter(({ message }) => !known.some((line) => line.includes(message)))
    .slice(-3)
    .map(({ reason, message }) => `${reason}: ${message}`);
}
