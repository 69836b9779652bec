import { objectOf, template, type KubernetesObject, type Kinds, type Values } from "../support/helm";

type Deployment = KubernetesObject & Kinds["Deployment"];
export type PodSpec = Deployment["spec"]["template"]["spec"];
export type Container = PodSpec["containers"][number];

/** The only container of a pod. */
export function containerOf(pod: PodSpec): Container {
  const [container, ...others] = pod.containers;
  if (!container || others.length > 0) throw new Error(`expected one container, found ${pod.containers.length}`);
  return container;
}

/** Everything about Triton's pods that the values give. */
export async function renderPod(values: Values = {}) {
  const deployment = objectOf(await template(values), "Deployment");
  const { metadata, spec: pod } = deployment.spec.template;
  return { deployment, metadata, pod, container: containerOf(pod) };
}

/** The arguments of `tritonserver`: those that begin with dashes. */
export const optionsOf = (container: Container): string[] =>
  container.args.filter((argument) => argument.startsWith("--"));

/** The values of one option, in order. */
export const optionOf = (container: Container, name: string): string[] =>
  optionsOf(container)
    .filter((option) => option.startsWith(`--${name}=`))
    .map((option) => option.slice(name.length + 3));
