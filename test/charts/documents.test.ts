import { readFileSync } from "node:fs";
import { join } from "node:path";
import { format } from "prettier";
import { describe, expect, it } from "vitest";
import { isMap, isScalar, parse, parseDocument, type YAMLMap } from "yaml";
import { defaultTritonTag } from "../../core/triton-image";
import { replaceSection } from "../../tools/docs/sections";
import { chartFolder } from "../support/helm";

const read = (file: string): string => readFileSync(join(chartFolder, file), "utf8");

interface Setting {
  readonly key: string;
  /** Comment above the key. */
  readonly description: string;
  readonly value: unknown;
}

/** All settings of `values.yaml`; a map with members is a group of settings, an empty one a setting. */
function settings(map: YAMLMap, prefix = ""): Setting[] {
  return map.items.flatMap(({ key, value }, index): Setting[] => {
    if (!isScalar(key)) throw new Error("values.yaml has a key that is no text");
    const path = prefix + String(key.value);
    if (isMap(value) && value.items.length > 0) return settings(value, `${path}.`);
    const comment = key.commentBefore ?? (index === 0 ? map.commentBefore : undefined) ?? "";
    // The comment at the head of the file ends with an empty line.
    const own = comment.split(/\n\s*\n/).at(-1) ?? "";
    const description = own
      .split("\n")
      .map((line) => line.trim())
      .join(" ");
    return [{ key: path, description, value: isScalar(value) ? value.value : (value as YAMLMap).toJSON() }];
  });
}

const document = parseDocument(read("values.yaml"));
if (!isMap(document.contents)) throw new Error("values.yaml is no map");
const all = settings(document.contents);

interface Schema {
  readonly description?: string;
  readonly additionalProperties?: boolean | Schema;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly $ref?: string;
}
const schema = JSON.parse(read("values.schema.json")) as Schema & { definitions: Record<string, Schema> };

const schemaOf = (path: string): Schema | undefined =>
  path.split(".").reduce<Schema | undefined>((node, key) => node?.properties?.[key], schema);

describe("values.yaml", () => {
  it("explains every key", () => {
    expect(all.filter(({ description }) => description === "").map(({ key }) => key)).toEqual([]);
  });

  it("says the same as the schema", () => {
    const described = all.map(({ key }) => [key, schemaOf(key)?.description]);
    expect(described).toEqual(all.map(({ key, description }) => [key, description]));
  });

  it("deploys the release that the project deploys", () => {
    const { image } = parse(read("values.yaml")) as { image: { tag: string } };
    const { appVersion } = parse(read("Chart.yaml")) as { appVersion: string };
    expect(image.tag).toBe(defaultTritonTag);
    expect(image.tag).toMatch(new RegExp(`^${appVersion}-`));
  });
});

describe("values.schema.json", () => {
  const groups = [
    ...new Set(all.flatMap(({ key }) => key.split(".").map((_, end, words) => words.slice(0, end).join(".")))),
  ];

  it.each(groups)("has the keys of values.yaml and no others in '%s'", (group) => {
    const node = group === "" ? schema : schemaOf(group);
    const prefix = group === "" ? "" : `${group}.`;
    const members = all
      .filter(({ key }) => key.startsWith(prefix))
      .map(({ key }) => key.slice(prefix.length).split(".")[0]);
    const names = [...new Set(members)].sort();
    expect(node?.additionalProperties).toBe(false);
    expect(
      Object.keys(node?.properties ?? {})
        .filter((name) => name !== "global")
        .sort(),
    ).toEqual(names);
  });

  it("insists on every key but those that may be null, so that a null in a values file removes no safeguard", () => {
    const insists = ({ key }: Setting): boolean => {
      const words = key.split(".");
      const group = words.slice(0, -1).join(".");
      return (group === "" ? schema : schemaOf(group))?.required?.includes(words.at(-1) ?? "") ?? false;
    };
    expect(all.filter((setting) => !insists(setting)).map(({ key }) => key)).toEqual(
      all
        .filter(({ value }) => value === null)
        .map(({ key }) => key)
        .concat("autoscaling.targetCPUUtilizationPercentage")
        .sort((a, b) => all.findIndex(({ key }) => key === a) - all.findIndex(({ key }) => key === b)),
    );
  });

  it("lets in no object with unknown members, except where Kubernetes' own objects are passed on", () => {
    const closed = Object.entries(schema.definitions).filter(([, { properties }]) => properties);
    expect(closed.filter(([, node]) => node.additionalProperties !== false).map(([name]) => name)).toEqual([]);
  });
});

describe("README", () => {
  it("has the table of values", async () => {
    const cell = (text: string) => text.replaceAll("|", "\\|");
    const code = (value: unknown) => {
      const text = JSON.stringify(value);
      return text.length > 60 ? "see `values.yaml`" : `\`${text}\``;
    };
    const rows = all.map(({ key, description, value }) => `| \`${key}\` | ${cell(description)} | ${code(value)} |`);
    const table = ["| Key | Meaning | Default |", "| --- | --- | --- |", ...rows].join("\n");
    const expected = replaceSection(read("README.md"), "values", table);
    const text = await format(expected, { parser: "markdown", printWidth: 120 });
    await expect(text).toMatchFileSnapshot(join(chartFolder, "README.md"));
  });
});
