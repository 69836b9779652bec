import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { azureName, nameFor, nameKinds, namePattern, suffixPattern } from "../../core/naming";

const suffix = fc.stringMatching(suffixPattern);

describe("Azure names", () => {
  it("satisfy the rules of their kind and end in the suffix, whatever project, stack and location are called", () => {
    const anything = fc.oneof(
      fc.string(),
      fc.string({ unit: "grapheme" }),
      fc.stringMatching(/^[a-z][a-z0-9-]{0,90}$/),
    );
    fc.assert(
      fc.property(fc.constantFrom(...nameKinds), fc.array(anything, { maxLength: 4 }), suffix, (kind, words, end) => {
        const name = azureName(kind, words, end);
        expect(name).toMatch(namePattern(kind));
        expect(name.endsWith(end)).toBe(true);
      }),
      { numRuns: 2000 },
    );
  });

  it("stay apart when they are too long to be told apart by their beginnings", () => {
    const long = "a-project-with-a-name-that-goes-on-and-on";
    const names = ["westeurope", "westus"].map((location) =>
      nameFor({ project: long, stack: long, location, suffix: "ab12" }, "storageAccount", "models"),
    );
    expect(new Set(names).size).toBe(2);
  });

  it("show project, stack, location and purpose where there is room", () => {
    const naming = { project: "triton-azure", stack: "dev", location: "westeurope", suffix: "ab12" };
    expect(nameFor(naming, "managedIdentity", "cluster")).toBe("triton-azure-dev-westeurope-cluster-ab12");
    expect(nameFor(naming, "storageAccount", "models")).toBe("modelsdevwesteuropeab12");
    expect(nameFor({ ...naming, location: "germanywestcentral" }, "storageAccount", "models")).toHaveLength(24);
  });

  it("never change for the same words", () => {
    expect(azureName("keyVault", ["ml", "production", "germanywestcentral"], "ab12")).toBe("ml-production-9348-ab12");
  });
});
