import { spawnSync } from "node:child_process";
import * as fs from "node:fs";
import * as path from "node:path";
import { stringify } from "yaml";
import { type Resource } from "./engine/recording";
import { isObject, redacted, revealed, type Properties, type Value } from "./engine/values";
import { writeWhole } from "./output-files";

/** What stands in a manifest for a secret. */
const placeholder = "<secret>";
const encodedPlaceholder = Buffer.from(placeholder).toString("base64");

/** A file with Kubernetes objects. */
interface Manifest {
  /** Name below the folder: `<provider>/<kind>-<namespace>-<name>.yaml`. */
  file: string;
  text: string;
}

interface Refusal {
  refusal: string;
}

/** What became of the Kubernetes objects of a plan. */
export interface ManifestResult {
  files: string[];
  /** What was not rendered because something is missing here, and why. */
  notes: string[];
  /** What the chart itself refused, with its message. */
  refused: string[];
}

/**
 * Writes each Kubernetes object of a run as a YAML file, in a folder for each cluster, and what Helm renders for each
 * release of a local chart. Secrets are left out for a placeholder.
 *
 * @param resources of a run in which nothing is unknown: charts check their values
 * @param folder is made when missing; files of the same names are replaced, others stay
 * @param helm the Helm binary; undefined when there is none
 */
export function writeManifests(
  resources: readonly Resource[],
  folder: string,
  root: string,
  helm: string | undefined,
): ManifestResult {
  const result: ManifestResult = { files: [], notes: [], refused: [] };
  for (const resource of resources) {
    const manifest = isRelease(resource) ? renderRelease(resource, root, helm) : renderObject(resource);
    if (manifest === undefined) continue;
    if (typeof manifest === "string") {
      result.notes.push(manifest);
      continue;
    }
    if ("refusal" in manifest) {
      result.refused.push(manifest.refusal);
      continue;
    }
    const file = path.join(folder, manifest.file);
    fs.mkdirSync(path.dirname(file), { recursive: true });
    writeWhole(file, manifest.text);
    result.files.push(file);
  }
  return result;
}

const isRelease = ({ type }: Resource): boolean => type === "kubernetes:helm.sh/v3:Release";

/** Kubernetes and Helm read YAML 1.1, in which `off` and `yes` need quotes. */
const yaml = (value: Value): string => stringify(value, { version: "1.1" });

/** Replaces what a redacted value has in the place of secrets by a text. */
function withoutMarks(value: Value): Value {
  if (Array.isArray(value)) return value.map(withoutMarks);
  if (!isObject(value)) return value;
  if (value["secret"] === true) return placeholder;
  return Object.fromEntries(Object.entries(value).map(([key, child]) => [key, withoutMarks(child)]));
}

/** The logical name of the provider, one for each cluster. */
const clusterOf = ({ provider }: Resource): string => provider.split("::")[3] ?? "default";
const fileName = (...parts: (string | undefined)[]): string =>
  parts
    .filter((part) => part !== undefined && part !== "")
    .join("-")
    .toLowerCase()
    .replace(/[^a-z0-9.-]+/g, "-");
const text = (value: Value | undefined): string | undefined => (typeof value === "string" ? value : undefined);

function renderObject(resource: Resource): Manifest | undefined {
  const { type, wireInputs } = resource;
  const { apiVersion, kind, ...rest } = wireInputs;
  if (!type.startsWith("kubernetes:") || typeof apiVersion !== "string" || typeof kind !== "string") return undefined;
  const { metadata, ...fields } = withoutMarks(redacted(kind === "Secret" ? withKeysOnly(rest) : rest)) as Properties;
  const given = isObject(metadata) ? metadata : {};
  // The provider makes up a name that is left out, from the logical name and eight digits.
  const named = given["name"] === undefined ? { generateName: `${resource.name}-`, ...given } : given;
  const name = text(named["name"]) ?? resource.name;
  return {
    file: path.join(clusterOf(resource), `${fileName(kind, text(named["namespace"]), name)}.yaml`),
    text: yaml({ apiVersion, kind, metadata: named, ...fields }),
  };
}

/** A Secret whose keys show, since pods refer to them, and whose values do not. */
function withKeysOnly(secret: Properties): Properties {
  const hidden = (field: Value, instead: string): Value => {
    const entries = revealed(field);
    return isObject(entries) ? Object.fromEntries(Object.keys(entries).map((key) => [key, instead])) : {};
  };
  const { data, stringData, ...rest } = secret;
  return {
    ...rest,
    ...(data !== undefined && { data: hidden(data, encodedPlaceholder) }),
    ...(stringData !== undefined && { stringData: hidden(stringData, placeholder) }),
  };
}

/** The manifest, or a note why there is none. */
function renderRelease(resource: Resource, root: string, helm: string | undefined): Manifest | Refusal | string {
  const inputs = redacted(resource.wireInputs);
  const chart = text(inputs["chart"]) ?? "";
  const name = text(inputs["name"]) ?? resource.name;
  const chartFolder = path.resolve(root, chart);
  const isLocal = inputs["repositoryOpts"] === undefined && fs.existsSync(path.join(chartFolder, "Chart.yaml"));
  if (!isLocal) return `${name}: chart ${chart} is not a local one and was not rendered`;
  if (helm === undefined) return `${name}: not rendered, no helm on PATH (or name the binary in HELM)`;
  const values = withoutMarks(inputs["values"] ?? {});
  const namespace = text(inputs["namespace"]) ?? "default";
  const hasPlaceholders = JSON.stringify(values).includes(placeholder);
  const rendered = spawnSync(
    helm,
    // The schema of a chart cannot know our placeholder.
    [
      "template",
      name,
      chartFolder,
      "--namespace",
      namespace,
      "--values",
      "-",
      ...(hasPlaceholders ? ["--skip-schema-validation"] : []),
    ],
    { input: yaml(values), encoding: "utf8", maxBuffer: 64 * 1024 * 1024 },
  );
  if (rendered.error !== undefined) return `${name}: not rendered, ${helm} does not run: ${rendered.error.message}`;
  if (rendered.status !== 0) return { refusal: `${name}: helm template failed: ${rendered.stderr.trim()}` };
  return {
    file: path.join(clusterOf(resource), `${fileName("release", namespace, name)}.yaml`),
    text: rendered.stdout,
  };
}

/** The Helm binary: `HELM`, or the first `helm` on `PATH`. */
export function findHelm(env: NodeJS.ProcessEnv = process.env): string | undefined {
  if (env["HELM"]) return env["HELM"];
  const folders = (env["PATH"] ?? "").split(path.delimiter).filter((folder) => folder !== "");
  return folders.map((folder) => path.join(folder, "helm")).find((file) => isExecutable(file));
}

function isExecutable(file: string): boolean {
  try {
    fs.accessSync(file, fs.constants.X_OK);
    return fs.statSync(file).isFile();
  } catch {
    return false;
  }
}
