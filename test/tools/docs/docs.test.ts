import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { generate } from "../../../tools/docs/generate";
import { replaceSection } from "../../../tools/docs/sections";
import { stackFileSchema } from "../../../tools/docs/configuration";
import { adminKey, keys } from "../../../config/schema";

describe("generated documents", () => {
  it("are up to date (npm run docs)", async () => {
    const read = (file: string) => readFileSync(file, "utf8");
    for (const [file, text] of Object.entries(await generate(read))) expect(read(file), file).toBe(text);
  });

  it("replace their own section and leave the rest alone", () => {
    const document = "a\n<!-- begin x -->\nold\n<!-- end x -->\nz";
    expect(replaceSection(document, "x", "new")).toBe("a\n<!-- begin x -->\n\nnew\n\n<!-- end x -->\nz");
    expect(() => replaceSection(document, "y", "new")).toThrow('no section "<!-- begin y -->');
  });

  it("describe the stack file to editors: every key, and no other of the namespace", () => {
    const config = stackFileSchema().properties?.["config"];
    if (typeof config !== "object") throw new Error("no schema of config");
    expect(Object.keys(config.properties ?? {})).toEqual([...keys, adminKey].map((key) => `triton-azure:${key}`));
    expect(config.required).toEqual(["triton-azure:suffix", "triton-azure:regions", "triton-azure:access"]);
    const others = Object.keys(config.patternProperties ?? {}).map((pattern) => new RegExp(pattern));
    expect(others.some((pattern) => pattern.test("azure-native:location"))).toBe(true);
    expect(others.some((pattern) => pattern.test("triton-azure:gpuPool"))).toBe(false);
  });
});
