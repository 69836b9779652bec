import type { z } from "zod";
import { adminKey, jsonSchema, namespace } from "../../config/schema";

type Node = z.core.JSONSchema.BaseSchema;

interface Row {
  readonly key: string;
  readonly type: string;
  readonly default: string;
  readonly description: string;
}

/** JSON Schema of a stack file, for editors that complete and check YAML by one. */
export function stackFileSchema(): Node {
  const { properties = {}, required = [] } = jsonSchema();
  const full = (key: string) => `${namespace}:${key}`;
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: "Stack file of triton-azure",
    type: "object",
    properties: {
      config: {
        type: "object",
        properties: {
          ...Object.fromEntries(Object.entries(properties).map(([key, schema]) => [full(key), schema])),
          [full(adminKey)]: {
            description: "Secret key of Triton's restricted APIs; set it with `pulumi config set --secret`.",
          },
        },
        required: required.map(full),
        patternProperties: { [`^(?!${namespace}:)`]: {} },
        additionalProperties: false,
      },
    },
  };
}

const isNode = (value: unknown): value is Node => typeof value === "object" && value !== null && !Array.isArray(value);

function typeOf(node: Node): string {
  if (node.enum) return node.enum.map((value) => `\`${String(value)}\``).join(", ");
  if (node.type === "array" && isNode(node.items))
    return `list of ${isObject(node.items) ? "objects" : typeOf(node.items)}`;
  if (node.type === "object") return isNode(node.additionalProperties) ? "map" : "object";
  if (node.anyOf) return [...new Set(node.anyOf.filter(isNode).map(typeOf))].join(" or ");
  if (node.const !== undefined) return `\`${JSON.stringify(node.const)}\``;
  return [node.type ?? "any"].flat().join(" or ");
}

const isObject = (node: Node): boolean => node.properties !== undefined;

/** Objects' own defaults are those of their members. */
const defaultOf = (node: Node, required: boolean): string => {
  if (required) return "**required**";
  if (node.default === undefined || isObject(node) || (isNode(node.items) && isObject(node.items))) return "";
  return node.default === "" ? "" : `\`${JSON.stringify(node.default).replaceAll('"', "")}\``;
};

function rows(key: string, node: Node, required: boolean): Row[] {
  const row = { key, type: typeOf(node), default: defaultOf(node, required), description: node.description ?? "" };
  const inner = node.type === "array" && isNode(node.items) ? { key: `${key}[]`, node: node.items } : { key, node };
  const members = Object.entries(inner.node.properties ?? {}).filter((entry): entry is [string, Node] =>
    isNode(entry[1]),
  );
  return [
    row,
    ...members.flatMap(([name, member]) =>
      rows(`${inner.key}.${name}`, member, inner.node.required?.includes(name) ?? false),
    ),
  ];
}

const cell = (text: string): string => text.replaceAll("|", "\\|");

const table = (all: readonly Row[]): string =>
  [
    "| Key | Type | Default | Meaning |",
    "| --- | --- | --- | --- |",
    ...all.map((row) => `| \`${row.key}\` | ${cell(row.type)} | ${cell(row.default)} | ${cell(row.description)} |`),
  ].join("\n");

function allRows(): Row[] {
  const { properties = {}, required = [] } = jsonSchema();
  return Object.entries(properties).flatMap(([key, node]) =>
    isNode(node) ? rows(key, node, required.includes(key)) : [],
  );
}

/** The keys of the first level, for the README. */
export const shortTable = (): string => table(allRows().filter(({ key }) => !/[.[]/.test(key)));

/** Every key, for the reference. */
export function reference(): string {
  const sections = new Map<string, Row[]>();
  for (const row of allRows()) {
    const section = /^[A-Za-z]+/.exec(row.key)?.[0] ?? "";
    sections.set(section, [...(sections.get(section) ?? []), row]);
  }
  return [...sections].map(([name, own]) => `## ${name}\n\n${table(own)}`).join("\n\n");
}
