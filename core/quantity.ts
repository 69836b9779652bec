/** Bytes of the Kubernetes quantity suffixes that are used for memory and storage (Kubernetes API: resource.Quantity). */
const units: Readonly<Record<string, number>> = {
  "": 1,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
  Ti: 2 ** 40,
};

export const GiB = 2 ** 30;
export const MiB = 2 ** 20;

/** Bytes of a Kubernetes memory or storage quantity such as `16Gi`; undefined when the text is not one. */
export function parseBytes(quantity: string): number | undefined {
  const match = /^(\d+(?:\.\d+)?)(Ki|Mi|Gi|Ti|k|M|G|T)?$/.exec(quantity);
  const unit = match && units[match[2] ?? ""];
  return match && unit ? Math.round(Number(match[1]) * unit) : undefined;
}

/** Cores of a Kubernetes CPU quantity such as `4` or `500m`; undefined when the text is not one. */
export function parseCpu(quantity: string): number | undefined {
  const match = /^(\d+(?:\.\d+)?)(m)?$/.exec(quantity);
  return match ? Number(match[1]) / (match[2] ? 1000 : 1) : undefined;
}

/** The quantity in whole mebibytes, rounded up: `formatMi(3 * GiB)` is `3072Mi`. */
export const formatMi = (bytes: number): string => `${Math.ceil(bytes / MiB)}Mi`;
