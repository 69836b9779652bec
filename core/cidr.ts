/** An IPv4 address range: both ends as unsigned 32-bit numbers, inclusive. */
export interface Ipv4Range {
  readonly first: number;
  readonly last: number;
  /** Length of the network prefix in bits, 0 to 32. */
  readonly prefix: number;
}

const toNumber = (octets: readonly number[]): number => octets.reduce((sum, octet) => sum * 256 + octet, 0);

const toAddress = (value: number): string =>
  [24, 16, 8, 0].map((shift) => Math.floor(value / 2 ** shift) % 256).join(".");

/**
 * Reads `a.b.c.d/n`. Undefined when the text is not a range, or when host bits are set (`10.0.0.1/16`), which Azure refuses.
 */
export function parseCidr(text: string): Ipv4Range | undefined {
  const match = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})\/(\d{1,2})$/.exec(text);
  if (!match) return undefined;
  const numbers = match.slice(1).map(Number);
  const prefix = numbers.pop() ?? 33;
  if (prefix > 32 || numbers.some((octet) => octet > 255)) return undefined;
  const first = toNumber(numbers);
  const size = 2 ** (32 - prefix);
  return first % size === 0 ? { first, last: first + size - 1, prefix } : undefined;
}

export const formatCidr = (range: Ipv4Range): string => `${toAddress(range.first)}/${range.prefix}`;

export const overlaps = (a: Ipv4Range, b: Ipv4Range): boolean => a.first <= b.last && b.first <= a.last;

export const contains = (outer: Ipv4Range, inner: Ipv4Range): boolean =>
  outer.first <= inner.first && inner.last <= outer.last;

/**
 * The `index`-th subrange with the given prefix, counted from the start of `range`.
 *
 * @throws RangeError when `range` does not hold that many; validated configuration cannot reach this.
 */
export function subrange(range: Ipv4Range, prefix: number, index: number): Ipv4Range {
  const size = 2 ** (32 - prefix);
  const first = range.first + index * size;
  const result = { first, last: first + size - 1, prefix };
  if (prefix < range.prefix || !contains(range, result)) {
    throw new RangeError(`${formatCidr(range)} has no /${prefix} number ${index}`);
  }
  return result;
}

/** The `offset`-th address of the range, as text. AKS takes the tenth of the service range for its DNS service by convention. */
export const addressAt = (range: Ipv4Range, offset: number): string => toAddress(range.first + offset);
