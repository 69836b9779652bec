import { digest } from "./digest";

interface NameRule {
  readonly min: number;
  readonly max: number;
  /** Between the words of the name; empty where the service allows letters and digits only. */
  readonly separator: "-" | "";
}

/**
 * Lengths and separators by the article "Naming rules and restrictions for Azure resources", narrowed to what all of them
 * share: lower-case letters and digits, a letter first, a letter or digit last, single hyphens between.
 */
const rules = {
  appInsights: { min: 1, max: 255, separator: "-" },
  containerRegistry: { min: 5, max: 50, separator: "" },
  dnsPrefix: { min: 1, max: 54, separator: "-" },
  keyVault: { min: 3, max: 24, separator: "-" },
  logAnalytics: { min: 4, max: 63, separator: "-" },
  managedCluster: { min: 1, max: 63, separator: "-" },
  managedIdentity: { min: 3, max: 128, separator: "-" },
  mlWorkspace: { min: 3, max: 33, separator: "-" },
  natGateway: { min: 1, max: 80, separator: "-" },
  networkSecurityGroup: { min: 1, max: 80, separator: "-" },
  /** 80, not 90: AKS limits the name of its node resource group. */
  nodeResourceGroup: { min: 1, max: 80, separator: "-" },
  privateEndpoint: { min: 2, max: 64, separator: "-" },
  publicIpAddress: { min: 1, max: 80, separator: "-" },
  resourceGroup: { min: 1, max: 90, separator: "-" },
  storageAccount: { min: 3, max: 24, separator: "" },
  virtualNetwork: { min: 2, max: 64, separator: "-" },
} as const satisfies Record<string, NameRule>;

export type NameKind = keyof typeof rules;

export const nameKinds = Object.keys(rules) as NameKind[];

/** What the stack's suffix may be: 4 to 6 lower-case letters and digits, so that it fits the shortest names beside others. */
export const suffixPattern = /^[a-z0-9]{4,6}$/;

/**
 * An Azure name made of words (project, stack, location, purpose) that satisfies the rules of its kind and ends in the suffix.
 *
 * Names that would be too long are cut and carry four digits of a hash of the whole, so that two long names stay two.
 * The same words and suffix always give the same name.
 */
export function azureName(kind: NameKind, words: readonly string[], suffix: string): string {
  const { max, separator } = rules[kind];
  const clean = words
    .map((word) => word.toLowerCase().replace(/[^a-z0-9]+/g, separator))
    .join(separator)
    .replace(/-+/g, "-")
    .replace(/^[^a-z]+/, "")
    .replace(/-$/, "");
  const whole = clean === "" ? "t" : clean;
  const room = max - suffix.length - separator.length;
  if (whole.length <= room) return whole + separator + suffix;

  const hash = digest([...words], 4);
  const cut = whole.slice(0, room - hash.length - separator.length).replace(/-$/, "");
  return [cut, hash, suffix].join(separator);
}

/** The rule of a kind as a pattern, for tests and policies. */
export function namePattern(kind: NameKind): RegExp {
  const { min, max, separator } = rules[kind];
  const body = separator === "" ? "[a-z][a-z0-9]*" : "[a-z](?:-?[a-z0-9])*";
  return new RegExp(`^(?=.{${min},${max}}$)${body}$`);
}

/** What all names of a stack are made of. */
export interface Naming {
  readonly project: string;
  readonly stack: string;
  /** Worldwide-unique part, see the configuration key `suffix`. */
  readonly suffix: string;
  /** Location of what there is one of in each region; absent for what there is one of in the stack. */
  readonly location?: string;
}

/** Kinds whose names are short or show up beside others' names: the purpose comes first and the project is left out. */
const shortKinds: ReadonlySet<NameKind> = new Set(["keyVault", "mlWorkspace", "storageAccount"]);

/** The stack's name for a thing of a kind, by purpose where there are several of that kind in one place. */
export function nameFor({ project, stack, location, suffix }: Naming, kind: NameKind, purpose?: string): string {
  const words = shortKinds.has(kind) ? [purpose, stack, location] : [project, stack, location, purpose];
  return azureName(
    kind,
    words.filter((word) => word !== undefined),
    suffix,
  );
}
