import { createHash } from "node:crypto";

/** Plain data: what JSON can hold. `undefined` members are left out, as JSON does. */
export type Plain = string | number | boolean | null | undefined | readonly Plain[] | { readonly [key: string]: Plain };

/** JSON text with sorted keys, so that equal data has equal text. */
function canonical(value: Plain): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (value !== null && typeof value === "object") {
    const members = Object.entries(value)
      .filter(([, member]) => member !== undefined)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, member]) => `${JSON.stringify(key)}:${canonical(member)}`);
    return `{${members.join(",")}}`;
  }
  return JSON.stringify(value ?? null);
}

/** First `length` hexadecimal digits of the SHA-256 of the data; equal data gives equal digits whatever its key order. */
export function digest(value: Plain, length = 64): string {
  return createHash("sha256").update(canonical(value)).digest("hex").slice(0, length);
}

/** A UUID that depends on the data alone, for Azure names that must be UUIDs (role assignments). Version 8 of RFC 9562. */
export function digestUuid(value: Plain): string {
  const hex = digest(value);
  const variant = ((parseInt(hex.charAt(16), 16) & 0x3) | 0x8).toString(16);
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    variant + hex.slice(17, 20),
    hex.slice(20, 32),
  ].join("-");
}
