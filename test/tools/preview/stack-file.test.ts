import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { placeholderSecret, readStack, stackChoice, StackFileError } from "../../../tools/preview/stack-file";

const root = fs.mkdtempSync(path.join(os.tmpdir(), "stack-file-"));
const write = (file: string, text: string) => {
  fs.writeFileSync(path.join(root, file), text);
};
const problem = (read: () => unknown): string => {
  try {
    read();
  } catch (error) {
    expect(error).toBeInstanceOf(StackFileError);
    return (error as Error).message.replaceAll(`${path.relative(process.cwd(), root)}${path.sep}`, "");
  }
  throw new Error("nothing was thrown");
};

beforeEach(() => {
  for (const file of fs.readdirSync(root)) fs.rmSync(path.join(root, file));
  write("Pulumi.yaml", "name: serving\nruntime: nodejs\nmain: src/index.ts\n");
  write("Pulumi.dev.yaml", "config:\n  serving:suffix: abcd\n");
});
afterAll(() => {
  fs.rmSync(root, { recursive: true });
});

describe("a stack file", () => {
  it("is found by the name of its stack", () => {
    expect(readStack({ stack: "dev" }, root)).toMatchObject({
      ...{ project: "serving", stack: "dev", root, main: "src/index.ts" },
      config: { "serving:suffix": "abcd" },
      secretKeys: [],
    });
  });

  it("is found by path, and names its stack", () => {
    write("Pulumi.team-a.yaml", "config: {}");
    write("elsewhere.yml", "config: {}");
    expect(readStack({ path: path.join(root, "Pulumi.team-a.yaml") }, root).stack).toBe("team-a");
    expect(readStack({ path: path.join(root, "elsewhere.yml") }, root).stack).toBe("elsewhere");
    expect(stackChoice("stacks/Pulumi.dev.yaml")).toEqual({ path: "stacks/Pulumi.dev.yaml" });
    expect(stackChoice("dev")).toEqual({ stack: "dev" });
  });

  it("that is missing is answered by the nearest name and all others", () => {
    write("Pulumi.prod.yaml", "config: {}");
    expect(problem(() => readStack({ stack: "prdo" }, root))).toBe(
      "there is no stack file Pulumi.prdo.yaml; did you mean prod? (stacks here: dev, prod)",
    );
    expect(problem(() => readStack({ stack: "quite-another" }, root))).toBe(
      "there is no stack file Pulumi.quite-another.yaml (stacks here: dev, prod)",
    );
    expect(problem(() => readStack({ path: "no/such.yaml" }, root))).toBe("there is no stack file no/such.yaml");
  });

  it("passes values as the Pulumi CLI does: scalars as text, structures as JSON, keys with their namespace", () => {
    write(
      "Pulumi.dev.yaml",
      "config:\n  nodes: 3\n  on: true\n  zero: 0\n  pools: [{ name: t4 }]\n  azure-native:location: westeurope\n",
    );
    expect(readStack({ stack: "dev" }, root).config).toEqual({
      "serving:nodes": "3",
      "serving:on": "true",
      "serving:zero": "0",
      "serving:pools": '[{"name":"t4"}]',
      "azure-native:location": "westeurope",
    });
  });

  it("keeps encrypted values secret, whatever their depth, and never passes ciphertext", () => {
    write(
      "Pulumi.dev.yaml",
      "config:\n  key: { secure: AAABcipher }\n  access: { admins: [{ token: { secure: AAABcipher } }] }\n",
    );
    const { config, secretKeys } = readStack({ stack: "dev" }, root);
    expect(config).toEqual({
      "serving:key": placeholderSecret,
      "serving:access": JSON.stringify({ admins: [{ token: placeholderSecret }] }),
    });
    expect(secretKeys).toEqual(["serving:access", "serving:key"]);
  });

  it("takes defaults and secrecy from the declarations of Pulumi.yaml", () => {
    write(
      "Pulumi.yaml",
      `name: serving
runtime: nodejs
config:
  regions: { type: array, items: { type: string }, default: [westeurope] }
  suffix: { type: string, description: no default }
  key: { type: string, secret: true }
  other: { type: string, secret: true }
  azure-native:location: { value: northeurope }
`,
    );
    write("Pulumi.dev.yaml", "config:\n  key: plain\n  regions: [swedencentral]\n");
    const { config, secretKeys } = readStack({ stack: "dev" }, root);
    expect(config).toEqual({
      "serving:regions": '["swedencentral"]',
      "serving:key": "plain",
      "azure-native:location": "northeurope",
    });
    expect(secretKeys).toEqual(["serving:key"]);
  });

  it("that is not YAML is answered with the place", () => {
    write("Pulumi.dev.yaml", "config:\n  a: [1\n  b: 2\n");
    expect(problem(() => readStack({ stack: "dev" }, root))).toMatch(/^Pulumi\.dev\.yaml:\d+:\d+: not valid YAML: /);
    write("Pulumi.dev.yaml", "config:\n  a: 1\n  a: 2\n");
    expect(problem(() => readStack({ stack: "dev" }, root))).toMatch(
      /^Pulumi\.dev\.yaml:3:3: not valid YAML: .*unique/,
    );
  });

  it("with the wrong shape is answered with the key and the remedy", () => {
    write("Pulumi.dev.yaml", "- a\n");
    expect(problem(() => readStack({ stack: "dev" }, root))).toContain('must hold a mapping with the key "config"');
    write("Pulumi.dev.yaml", "config: text\n");
    expect(problem(() => readStack({ stack: "dev" }, root))).toContain('"config" must be a mapping');
    write("Pulumi.dev.yaml", "config:\n  suffix:\n");
    expect(problem(() => readStack({ stack: "dev" }, root))).toContain(
      "suffix has no value; give one or remove the key",
    );
    write("Pulumi.dev.yaml", "config:\n  suffix: a\n  serving:suffix: b\n");
    expect(problem(() => readStack({ stack: "dev" }, root))).toContain("suffix and serving:suffix are the same key");
  });

  it("may be empty", () => {
    write("Pulumi.dev.yaml", "");
    expect(readStack({ stack: "dev" }, root).config).toEqual({});
  });

  it("needs a project with a name", () => {
    write("Pulumi.yaml", "runtime: nodejs\n");
    expect(problem(() => readStack({ stack: "dev" }, root))).toBe('Pulumi.yaml: "name" is missing');
    fs.rmSync(path.join(root, "Pulumi.yaml"));
    expect(problem(() => readStack({ stack: "dev" }, root))).toBe("there is no Pulumi.yaml");
  });
});
