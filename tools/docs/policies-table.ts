import type { Policies } from "@pulumi/policy";

type Policy = Policies[number];

/** The policies as a Markdown table, in their order: what holds, how strictly, and what can be set. */
export function policiesTable(rules: Policies): string {
  return [
    "| Policy | What holds | Level | Severity | Settings |",
    "| --- | --- | --- | --- | --- |",
    ...rules.map((rule) => `| ${rowOf(rule).map(cell).join(" | ")} |`),
  ].join("\n");
}

const rowOf = (rule: Policy): string[] => [
  `\`${rule.name}\``,
  rule.description,
  rule.enforcementLevel ?? "",
  rule.severity ?? "",
  settingsOf(rule),
];

const settingsOf = ({ configSchema }: Policy): string =>
  Object.entries(configSchema?.properties ?? {})
    .map(([name, schema]) => `\`${name}\`, default \`${JSON.stringify(schema.default)}\`: ${schema.description ?? ""}`)
    .join("<br>");

const cell = (text: string): string => text.replaceAll("|", "\\|").replaceAll("\n", " ");
