import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import * as path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { loadConfig, namespace } from "../../../config";
import { suffixPattern } from "../../../core/naming";
import { type Ask, collect, UsageError } from "../../../tools/init/answers";
import { randomSuffix, stackFile } from "../../../tools/init/stack-file";

const id = "5f3c7e0a-8f0b-4d5e-9a61-0c2f6f7a1b2c";
const flags = ["--stack", "mine", "--location", "westeurope", "--admin", id];

const configIn = (text: string): Record<string, unknown> => {
  const { config } = parse(text) as { config: Record<string, unknown> };
  return Object.fromEntries(Object.entries(config).map(([key, value]) => [key.slice(namespace.length + 1), value]));
};

describe("answers", () => {
  it("come from flags alone where there is no terminal", async () => {
    const call = await collect(
      [...flags, "--location", "northeurope", "--admin", `${id}:User`, "--suffix", "ab12"],
      undefined,
    );
    expect(call?.answers).toEqual({
      stack: "mine",
      environment: "prod",
      locations: ["westeurope", "northeurope"],
      clusterAdmins: [
        { objectId: id, type: "Group" },
        { objectId: id, type: "User" },
      ],
      suffix: "ab12",
    });
  });

  it("are asked for on a terminal, only where flags leave them open", async () => {
    const asked: string[] = [];
    const ask: Ask = (question, fallback) => {
      asked.push(question);
      return Promise.resolve(question.startsWith("Object ids") ? `${id}, ${id}:ServicePrincipal` : (fallback ?? ""));
    };
    const call = await collect(["--stack", "dev"], ask);
    expect(asked.map((question) => question.split(",")[0])).toEqual([
      "Environment",
      "Azure locations",
      expect.stringContaining("Object ids"),
    ]);
    expect(call?.answers).toMatchObject({
      environment: "dev",
      locations: ["westeurope"],
      clusterAdmins: [{ type: "Group" }, { type: "ServicePrincipal" }],
    });
  });

  it.each([
    [[], /missing: --stack, --location, --admin/],
    [["--stak", "x"], /--stak/],
    [[...flags, "--stack", "../evil"], /"\.\.\/evil" is no stack name/],
  ])("%j is refused", async (args, message) => {
    await expect(collect(args, undefined)).rejects.toThrow(message);
    await expect(collect(args, undefined)).rejects.toBeInstanceOf(UsageError);
  });
});

describe("the stack file", () => {
  it("is a valid configuration without warnings, with room between the regions", () => {
    const answers = {
      stack: "mine",
      environment: "prod",
      locations: ["westeurope", "northeurope"],
      clusterAdmins: [{ objectId: id, type: "Group" }],
      suffix: "ab12",
    } as const;
    const { text, warnings } = stackFile(answers);
    expect(warnings).toEqual([]);
    expect(loadConfig(configIn(text)).config).toMatchObject({
      suffix: "ab12",
      machineLearning: { location: "westeurope" },
    });
    expect(text).toContain("# Part of every name that is unique worldwide; change it after a destroy.");
  });

  it("gets suffixes that never are numbers and rarely are the same", () => {
    const suffixes = Array.from({ length: 200 }, randomSuffix);
    for (const suffix of suffixes) expect(suffix).toMatch(suffixPattern);
    expect(suffixes.filter((suffix) => !/^[a-z]/.test(suffix))).toEqual([]);
    expect(new Set(suffixes).size).toBeGreaterThan(195);
  });
});

describe("npm run init", () => {
  let folder: string;
  beforeAll(() => (folder = mkdtempSync(path.join(tmpdir(), "init-"))));
  afterAll(() => rmSync(folder, { recursive: true }));

  const init = (...args: string[]) =>
    spawnSync(
      process.execPath,
      ["-r", require.resolve("ts-node/register/transpile-only"), path.resolve("tools/init/main.ts"), ...args],
      {
        cwd: folder,
        encoding: "utf8",
        input: "",
        env: { ...process.env, TS_NODE_PROJECT: path.resolve("tsconfig.json") },
      },
    );

  it("writes the file once, and replaces it only when told to", () => {
    expect(init(...flags)).toMatchObject({
      status: 0,
      stdout: expect.stringContaining("Wrote Pulumi.mine.yaml") as string,
    });
    const first = readFileSync(path.join(folder, "Pulumi.mine.yaml"), "utf8");
    expect(init(...flags)).toMatchObject({
      status: 1,
      stderr: expect.stringContaining("Pulumi.mine.yaml is there already") as string,
    });
    expect(readFileSync(path.join(folder, "Pulumi.mine.yaml"), "utf8")).toBe(first);
    expect(init(...flags, "--force").status).toBe(0);
  });

  it("writes nothing when an answer is no good, and names the key", () => {
    const { status, stderr } = init("--stack", "other", "--location", "West Europe", "--admin", "me");
    expect(status).toBe(1);
    expect(stderr).toMatch(/regions\[0\]\.location/);
    expect(stderr).toMatch(/access\.clusterAdmins\[0\]\.objectId/);
    expect(() => readFileSync(path.join(folder, "Pulumi.other.yaml"))).toThrow("ENOENT");
  });

  it("explains itself on a wrong call", () => {
    expect(init("--nonsense")).toMatchObject({
      status: 2,
      stderr: expect.stringContaining("npm run init --") as string,
    });
    expect(init("--help")).toMatchObject({ status: 0, stdout: expect.stringContaining("npm run init --") as string });
  });
});
