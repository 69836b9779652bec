import * as fs from "node:fs";
import * as path from "node:path";
import { describe, expect, it } from "vitest";
import { requiredTags, untaggable } from "../../policies/rules/required-tags";
import { statefulProtected } from "../../policies/rules/stateful-protected";
import {
  cluster,
  gpuPool,
  modelContainer,
  registry,
  roleAssignment,
  storageAccount,
  vault,
  workspace,
} from "./fixtures/azure";
import { verdicts } from "./support/analyzer";
import { promises } from "./support/promises";

promises(requiredTags, "storage account", {
  of: storageAccount,
  refuses: [
    { path: "tags", to: {}, saying: /tags is \{\}; it must hold project, stack, environment, managed-by/ },
    { path: "tags.stack", to: "", saying: /it must hold stack$/ },
    { path: "tags.environment", to: undefined, saying: /it must hold environment$/, because: "a missing tag" },
  ],
  needs: [{ path: "tags", saying: /tags is missing; it must hold project, stack, environment, managed-by/ }],
  reads: ["tags"],
  allows: [{ path: "tags.team", to: "vision", because: "more tags" }],
});

promises(requiredTags, "storage account, with other tags in the settings", {
  of: { ...storageAccount, props: { ...storageAccount.props, tags: { team: "vision" } } },
  settings: { tags: ["team"] },
  refuses: [{ path: "tags.team", to: undefined, saying: /it must hold team$/ }],
});

describe("required-tags: classes", () => {
  it("asks none of a class without tags", async () => {
    expect(await verdicts(requiredTags, [roleAssignment])).toEqual([]);
  });
  it("asks them of a class that nobody has thought of", async () => {
    expect(await verdicts(requiredTags, [{ type: "azure-native:web:WebApp", props: {} }])).toHaveLength(1);
  });
  it("leaves out classes that have no tags, and only those", () => {
    const hasTags = (name: string) => {
      const [module = "", className = ""] = name.split(":");
      const file = `${className.charAt(0).toLowerCase()}${className.slice(1)}.js`;
      const folder = path.dirname(require.resolve(`@pulumi/azure-native/${module}`));
      const actual = fs.readdirSync(folder).find((entry) => entry.toLowerCase() === file.toLowerCase());
      if (actual === undefined) throw new Error(`azure-native has no ${name}`);
      return fs.readFileSync(path.join(folder, actual), "utf8").includes('resourceInputs["tags"] = args');
    };
    expect([...untaggable].filter(hasTags)).toEqual([]);
    expect(hasTags("storage:StorageAccount")).toBe(true);
  });
});

describe("stateful-protected", () => {
  const stateful = [storageAccount, modelContainer, cluster, registry, vault, workspace];

  it.each(stateful.map((fixture) => [fixture.type, fixture] as const))("demands protect of %s", async (_, fixture) => {
    expect(await verdicts(statefulProtected, [fixture])).toEqual([]);
    expect(await verdicts(statefulProtected, [{ ...fixture, protect: false }])).toEqual([
      { level: "mandatory", name: undefined, message: "the option protect is not set; it must be true" },
    ]);
  });
  it("does not demand it of what can be made again", async () => {
    expect(await verdicts(statefulProtected, [gpuPool, roleAssignment])).toEqual([]);
  });
});
