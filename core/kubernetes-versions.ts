/** Day (ISO 8601) for which the support table holds. */
export const kubernetesVersionsAsOf = "2026-12-01";

/** Kubernetes version for new clusters: a minor version in standard support, without patch. */
export const defaultKubernetesVersion = "1.36";

export type KubernetesSupportStatus = "supported" | "lts-only" | "retired" | "preview" | "unknown";

export interface KubernetesSupport {
  readonly status: KubernetesSupportStatus;
  /** Last day (ISO 8601) of standard support, or of long-term support when only that is left. */
  readonly endOfSupport?: string;
  /** `major.minor`; the input itself when it is not a version. */
  readonly minor: string;
}

interface MinorVersion {
  readonly minor: string;
  readonly generallyAvailable: string;
  readonly endOfLife: string;
  readonly endOfLongTermSupport: string;
}

const minorVersions: readonly MinorVersion[] = [
  { minor: "1.34", generallyAvailable: "2025-11-01", endOfLife: "2026-11-30", endOfLongTermSupport: "2027-11-30" },
  { minor: "1.35", generallyAvailable: "2026-03-01", endOfLife: "2027-03-31", endOfLongTermSupport: "2028-03-31" },
  { minor: "1.36", generallyAvailable: "2026-06-01", endOfLife: "2027-06-30", endOfLongTermSupport: "2028-06-30" },
];

/** Minor versions in standard support on that day. */
export const supportedKubernetesVersions: readonly string[] = minorVersions
  .filter(({ endOfLife }) => endOfLife >= kubernetesVersionsAsOf)
  .map(({ minor }) => minor);

const versionPattern = /^(\d+\.\d+)(\.\d+)?$/;

/** Whether the version names a patch, such as `1.35.4`; such pins age out within months. */
export const isPatchPin = (version: string): boolean => versionPattern.exec(version)?.[2] !== undefined;

/** Support that AKS gives a Kubernetes version (`1.35` or `1.35.4`) on the day `kubernetesVersionsAsOf`. */
export function kubernetesSupport(version: string): KubernetesSupport {
  const minor = versionPattern.exec(version)?.[1];
  const row = minorVersions.find((candidate) => candidate.minor === minor);
  if (!row) return { status: isOlderThanTable(minor) ? "retired" : "unknown", minor: minor ?? version };
  const today = kubernetesVersionsAsOf;
  if (row.endOfLife >= today) return { status: "supported", endOfSupport: row.endOfLife, minor: row.minor };
  if (row.endOfLongTermSupport >= today)
    return { status: "lts-only", endOfSupport: row.endOfLongTermSupport, minor: row.minor };
  return { status: "retired", endOfSupport: row.endOfLongTermSupport, minor: row.minor };
}

/** Versions before the table's first were current before it was made. */
function isOlderThanTable(minor: string | undefined): boolean {
  const number = (version: string | undefined) => Number(version?.split(".")[1]);
  return number(minor) < number(minorVersions[0]?.minor);
}
