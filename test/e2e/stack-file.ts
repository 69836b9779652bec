import { stringify } from "yaml";
import { type Release, releaseEntry } from "./releases";

export type Environment = "dev" | "prod";

/** Values of one section of the stack file, as docs/configuration.md describes them. */
type Section = Readonly<Record<string, unknown>>;

export interface Settings {
  /** Default: `dev`. */
  readonly environment?: Environment;
  /** Known releases, oldest first; the last is served. Default: none, so no Triton. */
  readonly releases?: readonly Release[];
  /** The served release, when it is not the last. */
  readonly release?: string;
  /** More sections, such as `autoscaling`; merged with those that a machine of two cores needs, key by key. */
  readonly sections?: Readonly<Record<string, Section | readonly Section[]>>;
}

/** Part of all names that are unique worldwide. */
export const suffix = "e2etr";

/** Name of the store's account in westeurope. */
export const modelAccount = (environment: Environment = "dev"): string => `models${environment}westeurope${suffix}`;

/** Text of a stack file whose stack fits a machine of two cores. */
export function stackFile(settings: Settings = {}): string {
  const { environment = "dev", releases = [], release = releases.at(-1)?.id, sections = {} } = settings;
  const base: Record<string, unknown> = {
    suffix,
    environment,
    regions: [{ location: "westeurope" }],
    access: {
      clusterAdmins: [{ objectId: "11111111-1111-4111-8111-111111111111", type: "Group" }],
      // The stand-in for Azure grants a role at once; production's least is kept.
      propagationSeconds: environment === "prod" ? 60 : 0,
    },
    // Triton's older CPU image knows no workload identity.
    modelStore: { auth: "account-key" },
    // Two replicas on a machine of two cores.
    triton: { resources: { cpu: "250m", memory: "2Gi", sharedMemory: "512Mi" } },
    ...(releases.length === 0 ? {} : { releases: releases.map(releaseEntry), release }),
  };
  for (const [key, section] of Object.entries(sections)) {
    base[key] = Array.isArray(section) ? section : { ...(base[key] as Section | undefined), ...section };
  }
  return stringify({
    config: Object.fromEntries(Object.entries(base).map(([key, value]) => [`triton-azure:${key}`, value])),
  });
}
