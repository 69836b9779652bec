import { randomInt } from "node:crypto";
import { Document, type YAMLMap } from "yaml";
import { type LoadedConfig, loadConfig, namespace } from "../../config";

/** What only the user knows about a stack. */
export interface Answers {
  /** Name of the stack, as `pulumi stack init` takes it. */
  readonly stack: string;
  readonly environment: "dev" | "prod";
  /** Azure locations, the first of which is home to what there is one of. */
  readonly locations: readonly string[];
  readonly clusterAdmins: readonly { readonly objectId: string; readonly type: string }[];
  /** 4 to 6 lower-case letters and digits. */
  readonly suffix: string;
}

/** A new suffix, five random letters and digits: 60 million of them, and a letter first so that YAML makes no number of it. */
export function randomSuffix(): string {
  const letters = "abcdefghijklmnopqrstuvwxyz";
  const pick = (from: string) => from.charAt(randomInt(from.length));
  return pick(letters) + Array.from({ length: 4 }, () => pick(`${letters}0123456789`)).join("");
}

/** Address range of the n-th region: 10.10.0.0/16, 10.20.0.0/16 and so on, clear of the defaults for pods and Services. */
const addressSpace = (index: number): string => `10.${10 * (index + 1)}.0.0/16`;

const notes: Readonly<Record<string, string>> = {
  suffix: " Part of every name that is unique worldwide; change it after a destroy.",
  access: " Who may administer the cluster; include the identity that runs `pulumi up`.",
  machineLearning: " Home of the workspace and the container registry; moving it replaces them.",
};

/** The configuration that the answers ask for, by key. */
const valuesOf = ({ environment, locations, clusterAdmins, suffix }: Answers): Record<string, unknown> => ({
  suffix,
  environment,
  regions: locations.map((location, index) => ({ location, addressSpace: addressSpace(index) })),
  machineLearning: { location: locations[0] },
  access: { clusterAdmins },
});

/**
 * The stack file that the answers ask for, and what is noteworthy about it.
 *
 * @throws ConfigurationError when the answers make no valid configuration
 */
export function stackFile(answers: Answers): { readonly text: string; readonly warnings: LoadedConfig["warnings"] } {
  const values = valuesOf(answers);
  const { warnings } = loadConfig(values);

  const config = Object.fromEntries(Object.entries(values).map(([key, value]) => [`${namespace}:${key}`, value]));
  const document = new Document({ config });
  document.commentBefore = ` Configuration of stack ${answers.stack}. Every key and its default: docs/configuration.md.`;
  for (const { key } of (document.get("config") as YAMLMap<{ value: string; commentBefore?: string }>).items) {
    const note = notes[key.value.slice(namespace.length + 1)];
    if (note !== undefined) key.commentBefore = note;
  }
  return { text: document.toString({ lineWidth: 0 }), warnings };
}
