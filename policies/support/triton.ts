import * as fs from "node:fs";
import * as path from "node:path";
import { parse } from "yaml";
import { isFields, type Inputs } from "./inputs";
import { containersOf, imageParts, podSpec, workloads } from "./pods";
import type { Subject } from "./rule";
import { anyOf, helmRelease, type TypeTest } from "./types";
import { Unknown } from "./unknown";

/** What may run Triton: Helm releases of the chart, and workloads of one's own. */
export const tritonHosts: TypeTest = anyOf(helmRelease, workloads);

/** Folder that the program runs in, and relative chart paths start from. */
const projectRoot = path.resolve(__dirname, "../..");

/**
 * Values of a Helm release of the Triton chart, merged over the chart's defaults as Helm does it: what the templates see.
 * Undefined for releases of other charts. A Triton chart whose defaults cannot be read has none, so that its values must
 * say everything.
 *
 * @throws CannotGoOn when the chart or the values as a whole are not known yet
 */
export function tritonValues({ type, inputs }: Pick<Subject, "type" | "inputs">): Inputs | undefined {
  if (!helmRelease(type)) return undefined;
  const chart = inputs.get("chart");
  if (typeof chart !== "string") return undefined;
  const folder = path.resolve(projectRoot, chart);
  const manifest = readYaml(path.join(folder, "Chart.yaml"));
  const name = isFields(manifest) ? manifest["name"] : path.basename(chart);
  if (name !== "triton") return undefined;
  return inputs
    .inside("values")
    .withContent(merged(readYaml(path.join(folder, "values.yaml")) ?? {}, inputs.get("values")));
}

const contents = new Map<string, unknown>();

/** Read once in a run: every rule about Triton asks for the same files. */
function readYaml(file: string): unknown {
  if (!contents.has(file)) contents.set(file, fs.existsSync(file) ? parse(fs.readFileSync(file, "utf8")) : undefined);
  return contents.get(file);
}

/** Helm's merge: objects join, null removes a default, everything else replaces it. */
function merged(defaults: unknown, given: unknown): unknown {
  if (given === undefined) return defaults;
  if (given instanceof Unknown || !isFields(given) || !isFields(defaults)) return given;
  const result = { ...defaults };
  for (const [key, value] of Object.entries(given)) {
    if (value === null) delete result[key];
    else result[key] = merged(defaults[key], value);
  }
  return result;
}

/** A container that runs Triton in a workload that is not made by the chart. */
export interface TritonContainer {
  readonly pod: Inputs;
  readonly container: Inputs;
  /** Command and arguments; parts that are not known yet are left out. */
  readonly words: readonly string[];
}

/** Triton's containers in a workload: those of an image whose name holds `tritonserver`, or that run that command. */
export function tritonContainers(subject: Pick<Subject, "type" | "inputs">): TritonContainer[] {
  const pod = podSpec(subject);
  if (!pod) return [];
  return containersOf(pod).flatMap((container) => {
    const image = container.read("image");
    const words = wordsOf(container, "command").concat(wordsOf(container, "args"));
    if (image.is === "unknown") container.defer("image");
    const isTriton =
      (image.is === "present" && imageParts(String(image.value)).repository.includes("tritonserver")) ||
      words.some((word) => /\btritonserver\b/.test(word));
    return isTriton ? [{ pod, container, words }] : [];
  });
}

function wordsOf(container: Inputs, list: "command" | "args"): string[] {
  const found = container.read(list);
  const words: unknown[] = found.is === "present" && Array.isArray(found.value) ? found.value : [];
  return words.filter((word) => typeof word === "string");
}

/** Value of an option such as `--exit-timeout-secs=30`, given with `=` or as the next word. */
export function optionOf(words: readonly string[], option: string): string | undefined {
  const index = words.findIndex((word) => word === `--${option}` || word.startsWith(`--${option}=`));
  const word = words[index];
  return word?.includes("=") ? word.slice(word.indexOf("=") + 1) : words[index + 1 || words.length];
}

/** The check of a rule about Triton wherever it runs: in a release of the chart by its values, elsewhere by its containers. */
export const inTriton =
  <Config>(
    checkValues: (values: Inputs, config: Config) => void,
    checkContainer: (triton: TritonContainer, resource: Subject<Config>) => void,
  ) =>
  (resource: Subject<Config>): void => {
    const values = tritonValues(resource);
    if (values) checkValues(values, resource.config);
    for (const triton of tritonContainers(resource)) checkContainer(triton, resource);
  };
