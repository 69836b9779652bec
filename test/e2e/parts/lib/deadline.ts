/** Variable with a factor for all deadlines, for machines that are slow or busy. Default: 1. */
const variable = "TRITON_AZURE_E2E_DEADLINE_FACTOR";

/**
 * A deadline as the machine needs it.
 *
 * @throws Error when the factor is no number above 0
 */
export function deadline(ms: number): number {
  const factor = Number(process.env[variable] ?? 1);
  if (!(factor > 0 && factor < Infinity)) {
    throw new Error(`${variable}: "${process.env[variable] ?? ""}" is no factor; use a number such as 2`);
  }
  return ms * factor;
}
