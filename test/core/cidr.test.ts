import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { addressAt, contains, formatCidr, overlaps, parseCidr, subrange } from "../../core/cidr";

const parse = (text: string) => {
  const range = parseCidr(text);
  if (range === undefined) throw new Error(`${text} should be a range`);
  return range;
};

const range = fc
  .tuple(fc.integer({ min: 0, max: 32 }), fc.integer({ min: 0, max: 2 ** 32 - 1 }))
  .map(([prefix, address]) => {
    const size = 2 ** (32 - prefix);
    const first = Math.floor(address / size) * size;
    return { first, last: first + size - 1, prefix };
  });

describe("address ranges", () => {
  it("survive formatting and parsing", () => {
    fc.assert(fc.property(range, (value) => void expect(parseCidr(formatCidr(value))).toEqual(value)));
  });

  it.each(["10.0.0.1/16", "10.0.0.0", "10.0.0.0/33", "256.0.0.0/8", "10.0.0/8", "a.b.c.d/8", "10.0.0.0/16 "])(
    "%s is refused",
    (text) => expect(parseCidr(text)).toBeUndefined(),
  );

  it("overlap exactly when one holds the other, as ranges with prefixes do", () => {
    fc.assert(fc.property(range, range, (a, b) => void expect(overlaps(a, b)).toBe(contains(a, b) || contains(b, a))));
  });

  it("are cut into subranges that lie inside and apart", () => {
    const space = parse("10.10.0.0/16");
    expect(formatCidr(subrange(space, 20, 0))).toBe("10.10.0.0/20");
    expect(formatCidr(subrange(space, 24, 16))).toBe("10.10.16.0/24");
    expect(() => subrange(space, 20, 16)).toThrow(RangeError);
    expect(() => subrange(space, 8, 0)).toThrow(RangeError);
  });

  it("count addresses from their start", () => expect(addressAt(parse("10.0.0.0/16"), 10)).toBe("10.0.0.10"));
});
