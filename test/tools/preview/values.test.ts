import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  forPolicies,
  lookUp,
  plain,
  redacted,
  redactedSecret,
  secret,
  secretTexts,
  signatureKey,
  unknown,
  unknownText,
  type Value,
  withoutOutputValues,
} from "../../../tools/preview/engine/values";

const asset = (fields: Record<string, Value>): Value => ({
  [signatureKey]: "c44067f5952c0a294b673a41bacd8c17",
  ...fields,
});
const reference = (urn: string, id: string): Value => ({
  [signatureKey]: "5cf8f73096256a8f31e491e813e4eb8e",
  ...{ urn, id },
});
const outputValue = (fields: Record<string, Value>): Value => ({
  [signatureKey]: "d0e6a833031e9bbcd3f4e8bde6ca49a4",
  ...fields,
});

/** Trees in which secrets with the given text stand anywhere. */
const trees = (hidden: string) =>
  fc.letrec<{ tree: Value }>((tie) => ({
    tree: fc.oneof(
      { maxDepth: 4 },
      fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.constant(null), fc.constant(unknownText)),
      fc.constant(secret({ inner: [hidden] })),
      fc.array(tie("tree"), { maxLength: 4 }),
      fc.dictionary(fc.string({ minLength: 1 }), tie("tree"), { maxKeys: 4 }),
      tie("tree").map(secret),
    ),
  })).tree;

describe("plain and redacted values", () => {
  it("show unknown values, secrets, assets and references to resources in a form of their own", () => {
    const value = {
      later: unknownText,
      key: secret("k"),
      file: asset({ text: "name: m", hash: "abc" }),
      group: reference("urn:g", "/groups/g"),
      list: [secret(unknownText)],
    };
    expect(redacted(value)).toEqual({
      later: unknown,
      key: redactedSecret,
      file: { asset: { text: "name: m" } },
      group: { resource: "urn:g", id: "/groups/g" },
      list: [redactedSecret],
    });
    expect(plain(value)).toMatchObject({ later: unknown, key: "k", list: [unknown] });
  });

  it("redacted never hold the text of a secret", () => {
    fc.assert(
      fc.property(trees("SENTINEL-TEXT"), (tree) => {
        expect(JSON.stringify(redacted(tree))).not.toContain("SENTINEL-TEXT");
      }),
    );
  });

  it("know every text that must not show", () => {
    fc.assert(
      fc.property(trees("SENTINEL-TEXT"), (tree) => {
        const isHeld = JSON.stringify(plain(tree)).includes("SENTINEL-TEXT");
        expect(secretTexts(tree).has("SENTINEL-TEXT")).toBe(isHeld);
      }),
    );
  });
});

describe("output values", () => {
  it("become plain, secret or unknown, and name their dependencies", () => {
    const dependencies = new Set<string>();
    const value = [
      outputValue({ value: "known", dependencies: ["urn:a"] }),
      outputValue({ value: { deep: outputValue({}) }, secret: true, dependencies: ["urn:b"] }),
      outputValue({ secret: true }),
    ];
    expect(withoutOutputValues(value, dependencies)).toEqual([
      "known",
      secret({ deep: unknownText }),
      secret(unknownText),
    ]);
    expect([...dependencies]).toEqual(["urn:a", "urn:b"]);
  });
});

describe("values for policies", () => {
  it("are opened secrets, ids for references and contents for assets, with unknown values as the SDK marks them", () => {
    const value = { key: secret({ a: unknownText }), group: reference("urn:g", ""), file: asset({ text: "" }) };
    expect(forPolicies(value)).toEqual({ key: { a: unknownText }, group: unknownText, file: { text: "" } });
  });
});

describe("paths", () => {
  const properties = { pools: [{ name: "t4", labels: { "a.b/c": secret("x") } }] };

  it("lead through lists and keys, opening secrets", () => {
    expect(lookUp(properties, "pools[0].name")).toEqual({ value: "t4", secret: false });
    expect(lookUp(properties, ["pools", 0, "labels", "a.b/c"])).toEqual({ value: "x", secret: true });
  });

  it("that lead nowhere give undefined", () => {
    expect(lookUp(properties, "pools[1].name").value).toBeUndefined();
    expect(lookUp(properties, "pools[0].name.length").value).toBeUndefined();
  });
});
