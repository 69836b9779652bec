import type { z } from "zod";
import { nearest } from "../core/nearest";
import { keyPath, type Problem } from "./problem";
import { adminKey, jsonSchema, type Key, keys, schemas, type Values } from "./schema";

type SchemaNode = z.core.JSONSchema.BaseSchema;

/** The part of the contract at a path; undefined where it says nothing. */
function nodeAt(path: readonly PropertyKey[]): SchemaNode | undefined {
  return path.reduce<SchemaNode | undefined>((node, part) => {
    const next: unknown = typeof part === "number" ? node?.items : node?.properties?.[String(part)];
    return typeof next === "object" && next !== null ? (next as SchemaNode) : undefined;
  }, jsonSchema());
}

const unknownKey = (path: readonly PropertyKey[], candidates: readonly string[]): Problem => {
  const guess = nearest(String(path.at(-1)), candidates);
  return {
    key: keyPath(path),
    message: `unknown key; ${guess === undefined ? `known here: ${candidates.join(", ")}` : `did you mean \`${guess}\`?`}`,
  };
};

function toProblems(issue: z.core.$ZodIssue, key: Key, value: unknown): Problem[] {
  const path = [key, ...issue.path];
  switch (issue.code) {
    case "unrecognized_keys":
      return issue.keys.map((name) => unknownKey([...path, name], Object.keys(nodeAt(path)?.properties ?? {})));
    case "invalid_type":
      return issue.input === undefined && valueAt(value, issue.path) === undefined
        ? [
            {
              key: keyPath(path),
              message: `required: ${nodeAt(path)?.description ?? `give a value (${issue.expected})`}`,
            },
          ]
        : [{ key: keyPath(path), message: wrongType(issue.expected, valueAt(value, issue.path)) }];
    case "invalid_value":
      return [{ key: keyPath(path), message: invalidValue(issue, valueAt(value, issue.path)) }];
    case "too_small":
      return [
        {
          key: keyPath(path),
          message: issue.message.startsWith("Too small")
            ? `must be ${issue.inclusive === false ? "more than" : "at least"} ${issue.minimum}`
            : issue.message,
        },
      ];
    case "too_big":
      return [
        {
          key: keyPath(path),
          message: issue.message.startsWith("Too big") ? `must be at most ${issue.maximum}` : issue.message,
        },
      ];
    default:
      return [{ key: keyPath(path), message: issue.message }];
  }
}

function invalidValue(issue: z.core.$ZodIssueInvalidValue, value: unknown): string {
  const values = issue.values.map(String);
  if (typeof value === "number" && values.includes(String(value)))
    return `must be text; write it in quotes: "${value}"`;
  const guess = typeof value === "string" ? nearest(value, values) : undefined;
  const shown = value === undefined ? "no value" : JSON.stringify(value);
  return `${shown} is not one of ${values.join(", ")}${guess === undefined ? "" : `; did you mean ${guess}?`}`;
}

/** What the schema language calls a type, as a stack file shows it. */
const typeNames: Readonly<Record<string, string>> = {
  string: "text",
  array: "a list",
  object: "a map",
  record: "a map",
  int: "a whole number",
  boolean: "true or false",
  number: "a number",
};

function wrongType(expected: string, value: unknown): string {
  const hint = expected === "string" && typeof value === "number" ? `; write it in quotes: "${String(value)}"` : "";
  return `must be ${typeNames[expected] ?? expected}${hint}`;
}

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (node, part) =>
      typeof node === "object" && node !== null ? (node as Record<PropertyKey, unknown>)[part] : undefined,
    value,
  );
}

export interface Parsed {
  /** Keys that are valid by themselves, with defaults. */
  readonly values: Partial<Values>;
  readonly problems: readonly Problem[];
}

/** Checks each key by itself, so that one bad key hides nothing about the others. */
export function parse(raw: Readonly<Record<string, unknown>>): Parsed {
  const problems: Problem[] = Object.keys(raw)
    .filter((name) => !Object.hasOwn(schemas, name) && name !== adminKey)
    .map((name) => unknownKey([name], [...keys, adminKey]));
  const values: Partial<Record<Key, unknown>> = {};
  for (const key of keys) {
    const result = schemas[key].safeParse(raw[key]);
    if (result.success) values[key] = result.data;
    else problems.push(...result.error.issues.flatMap((issue) => toProblems(issue, key, raw[key])));
  }
  return { values: values as Partial<Values>, problems };
}
