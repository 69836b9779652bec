import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { template, templateMany } from "../support/helm";
import { hazards } from "./hazards";
import { acceptedValues } from "./values-arbitrary";

/** One document at a time: slow, but fast-check can name the one at fault and make it smaller. */
const eachIsSafe = fc.asyncProperty(acceptedValues, async (values) => {
  expect(hazards(await template(values), values)).toEqual([]);
});

describe("every values document that the chart accepts", () => {
  it("renders a safe deployment", async () => {
    const runs = { seed: fc.sample(fc.integer(), 1)[0] ?? 0, numRuns: 120 };
    const documents = fc.sample(acceptedValues, runs);
    try {
      const rendered = await templateMany(documents);
      expect(documents.flatMap((values, index) => hazards(rendered[index] ?? [], values))).toEqual([]);
    } catch (error) {
      await fc.assert(eachIsSafe, { ...runs, interruptAfterTimeLimit: 30_000 });
      throw error;
    }
  }, 60_000);

  it("includes the empty one", async () => {
    expect(hazards(await template({}), { startup: { budgetSeconds: 900 } })).toEqual([]);
  });
});
