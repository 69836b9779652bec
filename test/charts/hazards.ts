import { contains, parseCidr } from "../../core/cidr";
import { parseBytes } from "../../core/quantity";
import { objectOf, objectsOf, type KubernetesObject, type Kinds, type Values } from "../support/helm";
import { containerOf, optionOf, optionsOf, type Container, type PodSpec } from "./rendered";

/** Options that `tritonserver` takes more than once. */
const repeatable = /^--(load-model|rate-limit-resource|cuda-memory-pool-byte-size|metrics-config|backend-config)=/;

const bytes = (quantity: unknown): number => parseBytes(String(quantity)) ?? NaN;
const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);

/** Adds the name of each promise that does not hold. A comparison with NaN or undefined does not hold. */
class Promises {
  readonly broken: string[] = [];
  holds(name: string, condition: boolean): void {
    if (!condition) this.broken.push(name);
  }
}

function checkAnyPod(pod: PodSpec, container: Container, promises: Promises): void {
  const podSecurity = pod.securityContext;
  const { securityContext: security } = container;
  promises.holds("no root", podSecurity.runAsNonRoot && podSecurity.runAsUser > 0 && podSecurity.runAsGroup > 0);
  promises.holds("seccomp", podSecurity.seccompProfile.type === "RuntimeDefault");
  promises.holds("no privileges", !security.privileged && !security.allowPrivilegeEscalation && security.runAsNonRoot);
  promises.holds("no capabilities", security.capabilities.drop.includes("ALL") && !("add" in security.capabilities));
  promises.holds("read-only root", security.readOnlyRootFilesystem);
  promises.holds("no host namespaces", !("hostNetwork" in pod) && !("hostPID" in pod) && !("hostIPC" in pod));
  promises.holds("no token", !pod.automountServiceAccountToken);
  promises.holds("pinned image", /(:|@)[^/]+$/.test(container.image) && !container.image.endsWith(":latest"));
  promises.holds("memory limit", container.resources.limits["memory"] === container.resources.requests["memory"]);
  promises.holds("message of a crash", container.terminationMessagePolicy === "FallbackToLogsOnError");
  const texts = container.env.map(({ value, valueFrom }: { value?: unknown; valueFrom?: unknown }) =>
    valueFrom ? "" : value,
  );
  promises.holds(
    "texts in the environment",
    texts.every((value) => typeof value === "string"),
  );
}

function checkVolumes(pod: PodSpec, container: Container, promises: Promises): void {
  const names = pod.volumes.map((volume) => volume.name);
  const mounts = container.volumeMounts;
  promises.holds(
    "volume names are unique texts",
    new Set(names).size === names.length && names.every((name) => typeof name === "string"),
  );
  promises.holds(
    "mounts have volumes",
    mounts.every((mount) => names.includes(mount.name)),
  );
  promises.holds("one mount a path", new Set(mounts.map((mount) => mount.mountPath)).size === mounts.length);
  promises.holds(
    "no host path",
    pod.volumes.every((volume) => !("hostPath" in volume)),
  );

  const scratch = pod.volumes.filter((volume) => "emptyDir" in volume).map((volume) => volume.emptyDir);
  const sizeOf = (inMemory: boolean) =>
    sum(scratch.filter(({ medium }) => (medium === "Memory") === inMemory).map(({ sizeLimit }) => bytes(sizeLimit)));
  const { limits, requests } = container.resources;
  promises.holds("disk for the volumes", bytes(limits["ephemeral-storage"]) > sizeOf(false));
  promises.holds("disk asked for", requests["ephemeral-storage"] === limits["ephemeral-storage"]);
  promises.holds("memory for the volumes", bytes(limits["memory"]) > sizeOf(true));
  promises.holds(
    "shared memory",
    mounts.some(({ mountPath }) => mountPath === "/dev/shm"),
  );
  promises.holds(
    "a place to write",
    mounts.some(({ mountPath }) => mountPath === "/tmp"),
  );
}

function checkServer(deployment: KubernetesObject & Kinds["Deployment"], values: Values, promises: Promises): void {
  const { spec } = deployment;
  const pod = spec.template.spec;
  const container = containerOf(pod);
  const { startupProbe, readinessProbe, livenessProbe } = container;
  const { budgetSeconds } = values["startup"] as { budgetSeconds: number };
  promises.holds("time to start", startupProbe.periodSeconds * startupProbe.failureThreshold >= budgetSeconds);
  promises.holds("deadline after the start", spec.progressDeadlineSeconds > budgetSeconds);
  promises.holds(
    "start and readiness by `ready`",
    [startupProbe, readinessProbe].every(({ httpGet }) => httpGet.path === "/v2/health/ready"),
  );
  promises.holds("liveness by `live`", livenessProbe.httpGet.path === "/v2/health/live");

  const exit = Number(optionOf(container, "exit-timeout-secs")[0]);
  promises.holds(
    "time to end",
    pod.terminationGracePeriodSeconds >= container.lifecycle.preStop.sleep.seconds + exit + 5,
  );
  promises.holds("exit on error is said", optionOf(container, "exit-on-error").length === 1);
  const single = optionsOf(container)
    .filter((option) => !repeatable.test(option))
    .map((option) => option.split("=")[0]);
  promises.holds("each option once", new Set(single).size === single.length);
  promises.holds(
    "health is open",
    !optionOf(container, "http-restricted-api").some((option) => option.includes("health")),
  );

  const { maxSurge, maxUnavailable } = spec.strategy.rollingUpdate;
  promises.holds("a roll-out can move", Number(maxSurge) + Number(maxUnavailable) > 0);
  const scaled = values["scaledExternally"] === true || "autoscaling" in values;
  promises.holds("one owner of the replicas", "replicas" in spec !== scaled);
}

function checkNetworkPolicy(policy: KubernetesObject & Kinds["NetworkPolicy"], promises: Promises): void {
  const metadataService = parseCidr("169.254.169.254/32");
  const ingress = policy.spec.ingress ?? [];
  const egress = policy.spec.egress ?? [];
  promises.holds("both directions", policy.spec.policyTypes.join() === "Ingress,Egress");
  promises.holds(
    "no rule for everybody",
    [...ingress.map(({ from }) => from), ...egress.map(({ to }) => to)].every((peers) => peers.length > 0),
  );
  promises.holds(
    "no rule for all ports",
    [...ingress, ...egress].every(({ ports }) => ports.length > 0),
  );
  const blocks = egress.flatMap(({ to }) => to).flatMap((peer) => ("ipBlock" in peer ? [peer.ipBlock] : []));
  const reaches = blocks.filter(({ cidr, except }) => {
    const range = parseCidr(cidr);
    return (
      !range || !metadataService || (contains(range, metadataService) && !(except ?? []).includes("169.254.169.254/32"))
    );
  });
  promises.holds("no instance metadata", reaches.length === 0);
}

/** Which of the promises of a safe deployment the rendered objects break. */
export function hazards(objects: readonly KubernetesObject[], values: Values): string[] {
  const promises = new Promises();
  const deployment = objectOf(objects, "Deployment");
  const server = deployment.spec.template;
  const test = objectOf(objects, "Pod");
  checkAnyPod(server.spec, containerOf(server.spec), promises);
  checkAnyPod(test.spec, containerOf(test.spec), promises);
  checkVolumes(server.spec, containerOf(server.spec), promises);
  checkServer(deployment, values, promises);
  for (const policy of objectsOf(objects, "NetworkPolicy")) checkNetworkPolicy(policy, promises);

  const selects = (selector: Record<string, string>, labels: Readonly<Record<string, string>> = {}) =>
    Object.entries(selector).every(([key, value]) => labels[key] === value);
  const budget = objectOf(objects, "PodDisruptionBudget").spec;
  const selectors = [
    deployment.spec.selector.matchLabels,
    budget.selector.matchLabels,
    ...objectsOf(objects, "Service").map(({ spec }) => spec.selector),
  ];
  promises.holds(
    "selectors find the server",
    selectors.every((selector) => selects(selector, server.metadata.labels)),
  );
  promises.holds(
    "selectors miss the test",
    selectors.every((selector) => !selects(selector, test.metadata.labels)),
  );
  promises.holds("a drain can move", budget.maxUnavailable === 1);

  const metadata = [...objects.map((object) => object.metadata), server.metadata];
  const texts = metadata.flatMap((entry) => [
    ...Object.values(entry.labels ?? {}),
    ...Object.values(entry.annotations ?? {}),
  ]);
  promises.holds(
    "texts in the metadata",
    texts.every((value: unknown) => typeof value === "string"),
  );
  promises.holds(
    "names are texts",
    objects.every((object) => typeof object.metadata.name === "string"),
  );
  return promises.broken;
}
