import type { Policies } from "@pulumi/policy";
import { describe, expect, it } from "vitest";
import { type Fixture, verdicts } from "./analyzer";
import { changed, type Path, unknown } from "./values";

/** What a policy promises about a resource that complies. */
export interface Promises {
  /** The resource, or for a stack policy the resource that the mutations change. */
  of: Fixture;
  /** Other resources that are there. */
  beside?: readonly Fixture[];
  settings?: Record<string, unknown>;
  /** One change each, and what the policy then says. `undefined` as the value removes the property. */
  refuses?: readonly { path: Path; to: unknown; saying: RegExp; because?: string }[];
  /** Properties whose absence is a violation, and what the policy then says. */
  needs?: readonly { path: Path; saying: RegExp }[];
  /** Properties that the policy has to know. */
  reads?: readonly Path[];
  /** Changes that it has no objection to. */
  allows?: readonly { path: Path; to: unknown; because: string }[];
}

/** Declares a test for each promise of a policy. */
export function promises(policy: Policies[number], title: string, { of, beside = [], ...what }: Promises): void {
  const judge = (fixture: Fixture) => verdicts(policy, [fixture, ...beside], what.settings);
  const withChange = (path: Path, value: unknown): Fixture => ({ ...of, props: changed(of.props, path, value) });
  const level = policy.enforcementLevel === "advisory" ? "advisory" : "mandatory";
  const expectRefusal = async (fixture: Fixture, saying: RegExp) => {
    const [first, ...others] = await judge(fixture);
    expect(others).toEqual([]);
    expect(first).toMatchObject({ level, message: expect.stringMatching(saying) as unknown });
  };

  describe(`${policy.name}: ${title}`, () => {
    it("passes as it is", async () => {
      expect(await judge(of)).toEqual([]);
    });
    for (const { path, to, saying, because } of what.refuses ?? []) {
      it(`refuses ${because ?? `${String(path)}: ${JSON.stringify(to)}`}`, () =>
        expectRefusal(withChange(path, to), saying));
    }
    for (const { path, saying } of what.needs ?? []) {
      it(`refuses a missing ${String(path)}`, () => expectRefusal(withChange(path, undefined), saying));
    }
    for (const path of what.reads ?? []) {
      it(`reports that ${String(path)} is not known yet`, async () => {
        const [first, ...others] = await judge(withChange(path, unknown));
        expect(others).toEqual([]);
        expect(first?.level).toBe("advisory");
        expect(first?.message).toContain(`can't run policy '${policy.name}'`);
        expect(first?.message).toContain(String(typeof path === "string" ? path : path.at(-1)));
      });
    }
    for (const { path, to, because } of what.allows ?? []) {
      it(`allows ${because}`, async () => {
        expect(await judge(withChange(path, to))).toEqual([]);
      });
    }
  });
}
