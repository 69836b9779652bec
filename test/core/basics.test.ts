import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { digest, digestUuid, type Plain } from "../../core/digest";
import { poolName } from "../../core/gpu-pool";
import { modelRepositoryUrl } from "../../core/model-repository";
import { editDistance, nearest } from "../../core/nearest";
import { formatMi, parseBytes, parseCpu } from "../../core/quantity";
import { azureMlModelName, releaseIdPattern } from "../../core/release";
import { readsBlobWithoutKey } from "../../core/triton-image";

describe("digest", () => {
  it("is the same for equal data whatever the order of keys, and skips what is undefined", () => {
    expect(digest({ a: 1, b: [1, { c: null }] })).toBe(digest({ b: [1, { c: null }], a: 1, d: undefined }));
  });

  it("differs for data that JSON tells apart", () => {
    const distinct = fc.uniqueArray(fc.jsonValue(), {
      selector: (value) => JSON.stringify(value),
      minLength: 2,
      maxLength: 2,
    });
    fc.assert(
      fc.property(distinct, ([a, b]) => {
        fc.pre(!isDeepStrictEqual(a, b)); // the same members in another order are equal data
        expect(digest(a as Plain)).not.toBe(digest(b as Plain));
      }),
    );
    expect(digest(["a", "bc"])).not.toBe(digest(["ab", "c"]));
  });

  it("makes UUIDs", () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(digestUuid(text)).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
      }),
    );
  });

  it("names a pool anew when an immutable input changes, within the 12 characters that AKS allows", () => {
    const small = poolName("gpupools", { vmSize: "Standard_NC4as_T4_v3" });
    expect(small).toMatch(/^gpupools[0-9a-f]{4}$/);
    expect(poolName("gpupools", { vmSize: "Standard_NC8as_T4_v3" })).not.toBe(small);
  });
});

describe("nearest", () => {
  it("finds a mistyped name and stays silent when nothing is close", () => {
    expect(nearest("gpuPool", ["gpuPools", "cluster"])).toBe("gpuPools");
    expect(nearest("Standard_NC4as_T4_v4", ["Standard_NC4as_T4_v3", "Standard_NC24ads_A100_v4"])).toBe(
      "Standard_NC4as_T4_v3",
    );
    expect(nearest("production", ["dev", "prod"])).toBe("prod");
    expect(nearest("zzz", ["gpuPools", "cluster"])).toBeUndefined();
  });

  it("measures a distance: zero for equal texts, the same both ways, never above the longer length", () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 12 }), fc.string({ maxLength: 12 }), (a, b) => {
        expect(editDistance(a, a)).toBe(0);
        expect(editDistance(a, b)).toBe(editDistance(b, a));
        expect(editDistance(a, b)).toBeLessThanOrEqual(Math.max(a.length, b.length));
      }),
    );
    expect(editDistance("kitten", "sitting")).toBe(3);
  });
});

describe("quantities", () => {
  it.each([
    ["16Gi", 16 * 2 ** 30],
    ["1.5Gi", 1.5 * 2 ** 30],
    ["500M", 500e6],
    ["1024", 1024],
  ])("%s is %d bytes", (text, bytes) => expect(parseBytes(text)).toBe(bytes));

  it.each(["", "16 Gi", "16GB", "-1Gi", "Gi"])("%j is no quantity", (text) => expect(parseBytes(text)).toBeUndefined());

  it("reads cores and millicores", () => {
    expect(parseCpu("2")).toBe(2);
    expect(parseCpu("500m")).toBe(0.5);
    expect(parseCpu("2 cores")).toBeUndefined();
  });

  it("rounds up to mebibytes", () => expect(formatMi(2 ** 20 + 1)).toBe("2Mi"));
});

describe("model repository", () => {
  it.each([
    ["", "as://account/container"],
    ["releases/r1", "as://account/container/releases/r1"],
    ["/releases//r1/", "as://account/container/releases/r1"],
  ])("T5: the address of %j is %s", (path, url) => expect(modelRepositoryUrl("account", "container", path)).toBe(url));

  it("gives models names that Azure ML allows", () => expect(azureMlModelName("resnet.50_v1")).toBe("resnet-50_v1"));

  it("release ids are folder names, labels and versions", () => {
    expect("r-20261201-ab12").toMatch(releaseIdPattern);
    for (const bad of ["", "R1", "-r", "r-", "r/1", "r".repeat(41)]) expect(bad).not.toMatch(releaseIdPattern);
  });
});

describe("Triton image", () => {
  it.each([
    ["26.04-py3", false],
    ["26.05-py3", true],
    ["26.07-py3-min", true],
    ["25.12-py3", false],
    ["mine", undefined],
  ])("T1: %s reads Blob Storage without a key: %s", (tag, keyless) => expect(readsBlobWithoutKey(tag)).toBe(keyless));
});
