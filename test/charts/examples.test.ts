import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

const examples = join(__dirname, "../../examples");
const models = join(examples, "models");
const names = readdirSync(models);

/** A model configuration without its comments. */
const config = (...path: string[]): string => readFileSync(join(examples, ...path), "utf8").replace(/#.*$/gm, "");

const dims = (text: string): number[][] =>
  [...text.matchAll(/dims: \[([^\]]*)\]/g)].map(([, list]) => (list ?? "").split(",").map(Number));
const maxBatchSize = (text: string): number => Number(/max_batch_size: (\d+)/.exec(text)?.[1]);

const configs = [
  ...names.map((name) => ["models", name, "config.pbtxt"]),
  ...readdirSync(join(examples, "config")).map((file) => ["config", file]),
];

describe("example models", () => {
  it("are the two that the README names", () => {
    expect(names.sort()).toEqual(["feature-scaler", "image-classifier"]);
  });

  it.each(names)("T10: %s has nothing but numbered versions with a file, and its configuration", (name) => {
    const entries = readdirSync(join(models, name));
    const versions = entries.filter((entry) => entry !== "config.pbtxt");
    expect(entries).toContain("config.pbtxt");
    for (const version of versions) {
      expect(version).toMatch(/^[1-9]\d*$/);
      expect(readdirSync(join(models, name, version))).toHaveLength(1);
    }
  });

  it("K10: image-classifier states its shapes without the batch axis", () => {
    const text = config("models", "image-classifier", "config.pbtxt");
    expect(maxBatchSize(text)).toBe(32);
    expect(dims(text)).toEqual([[224, 224, 3], [1000]]);
  });

  it("image-classifier is a small ONNX file with the inputs and outputs of its configuration", () => {
    const file = join(models, "image-classifier", "1", "model.onnx");
    expect(statSync(file).size).toBeLessThan(200_000);
    const content = readFileSync(file, "latin1");
    for (const word of ["input", "output", "batch", "ReduceMean", "Gemm", "Softmax"]) expect(content).toContain(word);
  });
});

describe("example configurations", () => {
  it.each(configs)("K12: %s %s %s names a backend or a platform that Triton knows", (...path) => {
    const text = config(...path);
    const named = [...text.matchAll(/^(backend|platform): "(\w+)"$/gm)].map(([, key, value]) => `${key} ${value}`);
    expect(named).toHaveLength(1);
    expect(["backend python", "backend onnxruntime", "platform onnxruntime_onnx", "platform tensorrt_plan"]).toContain(
      named[0],
    );
  });

  it.each(configs)("K11: %s %s %s prefers no batch above its maximum, and has no axis of 0", (...path) => {
    const text = config(...path);
    const preferred = /preferred_batch_size: \[([^\]]*)\]/.exec(text)?.[1]?.split(",").map(Number) ?? [];
    expect(Math.max(0, ...preferred)).toBeLessThanOrEqual(maxBatchSize(text));
    expect(dims(text).flat()).not.toContain(0);
  });
});
