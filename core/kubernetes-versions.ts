/** Day (ISO 8601) for which the exports of this file hold. The dates are those that Microsoft published on 5 August 2026. */
export const kubernetesVersionsAsOf = "2026-12-01";

/** Kubernetes version of new clusters: of those in standard support the one that keeps it longest; AKS picks the patch. */
export const defaultKubernetesVersion = "1.36";

/**
 * - `supported`: standard ("community") support, any cluster tier
 * - `lts-only`: needs tier Premium and the support plan AKSLongTermSupport
 * - `retired`: AKS creates no such cluster
 * - `preview`: announced, but general availability was not confirmed
 * - `unknown`: not in the table
 */
export type KubernetesSupportStatus = "supported" | "lts-only" | "retired" | "preview" | "unknown";

export interface KubernetesSupport {
  readonly status: KubernetesSupportStatus;
  /** Last day (ISO 8601) of standard support, also when it has passed. Absent for `preview` and versions outside the table. */
  readonly endOfSupport?: string;
  /** `major.minor`; the input itself when it is not a version. */
  readonly minor: string;
}

interface MinorVersion {
  readonly minor: number;
  /** Last day of standard support; undefined for versions that were only announced. */
  readonly endOfSupport: string | undefined;
  readonly endOfLongTermSupport: string;
}

/** Minor versions of Kubernetes 1 (article "Supported Kubernetes versions in AKS"; a month there means its last day). */
const minorVersions: readonly MinorVersion[] = [
  { minor: 29, endOfSupport: "2025-03-31", endOfLongTermSupport: "2026-04-30" },
  { minor: 30, endOfSupport: "2025-08-22", endOfLongTermSupport: "2026-07-31" },
  { minor: 31, endOfSupport: "2025-11-01", endOfLongTermSupport: "2026-11-30" },
  { minor: 32, endOfSupport: "2026-03-31", endOfLongTermSupport: "2027-03-31" },
  { minor: 33, endOfSupport: "2026-07-31", endOfLongTermSupport: "2027-07-31" },
  { minor: 34, endOfSupport: "2026-11-30", endOfLongTermSupport: "2027-11-30" },
  { minor: 35, endOfSupport: "2027-03-31", endOfLongTermSupport: "2028-03-31" },
  { minor: 36, endOfSupport: "2027-06-30", endOfLongTermSupport: "2028-06-30" },
  { minor: 37, endOfSupport: undefined, endOfLongTermSupport: "2028-10-31" },
];

const oldestMinor = Math.min(...minorVersions.map(({ minor }) => minor));

const versionPattern = /^(\d+)\.(\d+)(\.\d+)?$/;

/** Whether the version names a patch, such as `1.35.4`; AKS withdraws patches within months. */
export const isPatchPin = (version: string): boolean => versionPattern.exec(version)?.[3] !== undefined;

/**
 * Support that AKS gives a Kubernetes version.
 *
 * @param version `1.35` or, with the same answer, `1.35.4`.
 * @param on Day (ISO 8601); default `kubernetesVersionsAsOf`.
 */
export function kubernetesSupport(version: string, on: string = kubernetesVersionsAsOf): KubernetesSupport {
  const [, major, minorText] = versionPattern.exec(version) ?? [];
  if (major === undefined || minorText === undefined) return { status: "unknown", minor: version };
  const minor = `${major}.${minorText}`;
  if (major !== "1") return { status: "unknown", minor };
  if (Number(minorText) < oldestMinor) return { status: "retired", minor };
  const row = minorVersions.find((candidate) => candidate.minor === Number(minorText));
  if (row === undefined) return { status: "unknown", minor };
  const { endOfSupport, endOfLongTermSupport } = row;
  if (endOfSupport === undefined) return { status: "preview", minor };
  const status = on <= endOfSupport ? "supported" : on <= endOfLongTermSupport ? "lts-only" : "retired";
  return { status, endOfSupport, minor };
}

/** Minor versions in standard support, old ones first. */
export const supportedKubernetesVersions: readonly string[] = minorVersions
  .map(({ minor }) => `1.${minor}`)
  .filter((version) => kubernetesSupport(version).status === "supported");
