import { readdirSync, readFileSync, statSync } from "node:fs";
import * as path from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";

const root = "examples/models";
const files = (readdirSync(root, { recursive: true }) as string[]).filter((file) =>
  statSync(path.join(root, file)).isFile(),
);

interface StackFile {
  config: {
    "triton-azure:releases": { id: string; sizeBytes: number; models: { name: string; versions: number[] }[] }[];
  };
}

describe.each(["dev", "prod"])("the release of the shipped stack %s", (stack) => {
  const { config } = parse(readFileSync(`Pulumi.${stack}.yaml`, "utf8")) as StackFile;
  const release = config["triton-azure:releases"][0];

  it("records the sample models as they are: size, names, versions", () => {
    const bytes = files.reduce((sum, file) => sum + statSync(path.join(root, file)).size, 0);
    const models = readdirSync(root).map((name) => ({
      name,
      versions: readdirSync(path.join(root, name))
        .filter((entry) => /^[1-9]\d*$/.test(entry))
        .map(Number),
    }));
    expect(release?.sizeBytes).toBe(bytes);
    expect(release?.models.map(({ name, versions }) => ({ name, versions }))).toEqual(models);
  });
});
