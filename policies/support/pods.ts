import type { Inputs } from "./inputs";
import type { Subject } from "./rule";
import { kubernetes, kubernetesKind, type TypeTest } from "./types";

/** Where each kind keeps its pod specification. */
const podSpecs: Readonly<Record<string, string>> = {
  CronJob: "spec.jobTemplate.spec.template.spec",
  DaemonSet: "spec.template.spec",
  Deployment: "spec.template.spec",
  Job: "spec.template.spec",
  Pod: "spec",
  PodTemplate: "template.spec",
  ReplicaSet: "spec.template.spec",
  ReplicationController: "spec.template.spec",
  StatefulSet: "spec.template.spec",
};

/** Kubernetes kinds that run pods. */
export const workloads: TypeTest = kubernetes(...Object.keys(podSpecs));

/** Pod specification of a workload; undefined for other kinds, and for one that is not known yet, which is noted. */
export function podSpec({ type, inputs }: Pick<Subject, "type" | "inputs">): Inputs | undefined {
  const path = podSpecs[kubernetesKind(type) ?? ""];
  if (path === undefined) return undefined;
  if (inputs.read(path).is === "present") return inputs.inside(path);
  if (inputs.read(path).is === "unknown") inputs.defer(path);
  else inputs.report(path, "is missing; a workload without a pod specification cannot be checked");
  return undefined;
}

/** All containers of a pod. */
export const containersOf = (pod: Inputs): Inputs[] =>
  ["initContainers", "containers", "ephemeralContainers"].flatMap((list) => pod.items(list));

/**
 * Parts of an image reference such as `nvcr.io/nvidia/tritonserver:26.07-py3`, as the reference grammar of the OCI
 * distribution specification has it: a colon after the last slash begins the tag, `@` the digest.
 */
export function imageParts(image: string): { repository: string; tag?: string; digest?: string } {
  const [name = "", digest] = image.split("@", 2);
  const colon = name.indexOf(":", name.lastIndexOf("/") + 1);
  return {
    repository: colon < 0 ? name : name.slice(0, colon),
    ...(colon >= 0 && { tag: name.slice(colon + 1) }),
    ...(digest !== undefined && { digest }),
  };
}
