import { type GpuCost, type PoolCeiling } from "./ceiling";
import { compare, type LogMessage, stackType } from "./engine/recording";
import { isObject, type Value } from "./engine/values";
import { type Plan, type PlannedResource } from "./plan";
import { type Violation } from "./policies";
import { type Paint } from "./terminal";

/** What a report is made of. */
export interface Outcome {
  plan: Plan;
  /** What the program logged. */
  logs: readonly LogMessage[];
  /** What the program printed. */
  printed: string;
  /** Number of policies that ran. */
  policyCount: number;
  /** Wall time in milliseconds. */
  elapsed: number;
  /** Further facts for the end of the report, such as files written. */
  notes: readonly string[];
}

/** The report of a preview, for a terminal or a log. */
export function report(outcome: Outcome, paint: Paint): string {
  const { plan, logs } = outcome;
  const sections = [
    paint("bold", `Preview of stack ${plan.stack} of ${plan.project}`),
    tree(plan.resources, paint),
    counts(plan.resources),
    outcome.printed.trim() === "" ? "" : titled("Printed by the program", outcome.printed.trim().split("\n"), paint),
    warnings(logs, paint),
    policyResults(plan.policies, outcome.policyCount, paint),
    ceiling(plan.cost, paint),
    outputs(plan, paint),
    [...outcome.notes, `Done in ${(outcome.elapsed / 1000).toFixed(1)} s. Nothing was created.`].join("\n"),
  ];
  return sections.filter((section) => section !== "").join("\n\n") + "\n";
}

function titled(title: string, lines: readonly string[], paint: Paint): string {
  return [paint("bold", title), ...lines.map((line) => `  ${line}`)].join("\n");
}

/** `azure-native:storage:StorageAccount  models-westeurope`, indented below its parent. */
function tree(resources: readonly PlannedResource[], paint: Paint): string {
  const depths = new Map<string, number>();
  const lines = resources.map((resource) => {
    const depth = (depths.get(resource.parent) ?? -1) + 1;
    depths.set(resource.urn, depth);
    return { depth, resource };
  });
  const width = Math.max(...lines.map(({ depth, resource }) => 2 * depth + resource.type.length));
  return lines
    .map(({ depth, resource }) => {
      const indent = "  ".repeat(depth);
      const gap = " ".repeat(width - indent.length - resource.type.length + 2);
      const type = resource.provider === "" ? paint("cyan", resource.type) : resource.type;
      const marks = [resource.options.protect === true ? "protected" : "", resource.options.import ? "adopted" : ""];
      const note = marks.filter((mark) => mark !== "").join(", ");
      return `${indent}${type}${gap}${paint("bold", resource.name)}${note === "" ? "" : paint("dim", `  ${note}`)}`;
    })
    .join("\n");
}

/** `46 resources: 30 azure-native, 4 components, 12 kubernetes`. */
function counts(resources: readonly PlannedResource[]): string {
  const kinds = new Map<string, number>();
  for (const { type, provider } of resources) {
    if (type === stackType) continue;
    const [pkg = ""] = type.split(":");
    const kind = type.startsWith("pulumi:providers:") ? "provider" : provider === "" ? "component" : pkg;
    kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
  }
  const total = [...kinds.values()].reduce((sum, count) => sum + count, 0);
  const label = (kind: string, count: number) => (/^(provider|component)$/.test(kind) ? plural(kind, count) : kind);
  const parts = [...kinds].sort(([a], [b]) => compare(a, b)).map(([kind, count]) => `${count} ${label(kind, count)}`);
  return `${total} ${plural("resource", total)}: ${parts.join(", ")}`;
}

function warnings(logs: readonly LogMessage[], paint: Paint): string {
  const loud = logs.filter((log) => log.severity === "warning");
  const other = logs.filter((log) => log.severity === "info");
  const lines = [
    ...loud.map((log) => paint("yellow", indented("WARNING ", about(log)))),
    ...other.map((log) => indented("note ", about(log))),
  ];
  if (lines.length === 0) return "";
  const title = loud.length === 0 ? "Messages" : paint("yellow", `${loud.length} ${plural("warning", loud.length)}`);
  return titled(title, lines, paint);
}

const about = ({ urn, message }: LogMessage): string => (urn === "" ? message : `${shortUrn(urn)}: ${message}`);

/** A text of several lines, set in after its label. */
function indented(label: string, text: string): string {
  return label + text.trimEnd().replaceAll("\n", `\n${" ".repeat(label.length + 2)}`);
}

function policyResults(violations: readonly Violation[], count: number, paint: Paint): string {
  if (count === 0) return "No policies: this project has no policy pack";
  const mandatory = violations.filter((violation) => violation.level === "mandatory").length;
  const advisory = violations.length - mandatory;
  if (violations.length === 0) return paint("green", `${count} policies: no violations`);
  const title = `${count} policies: ${mandatory} mandatory ${plural("violation", mandatory)}, ${advisory} advisory`;
  const lines = violations.map(({ level, policy, urn, message }) => {
    const label = level === "mandatory" ? paint("red", "VIOLATION") : paint("yellow", "advisory ");
    return `${label} ${policy}  ${shortUrn(urn)}\n    ${message.replaceAll("\n", "\n    ")}`;
  });
  return titled(mandatory > 0 ? paint("red", title) : paint("yellow", title), lines, paint);
}

/** `azure-native:storage:StorageAccount models` of a URN. */
export function shortUrn(urn: string): string {
  const [, , types = "", ...name] = urn.split("::");
  return `${types.slice(types.lastIndexOf("$") + 1)} ${name.join("::")}`;
}

const usd = (amount: number | null): string =>
  amount === null ? "not known" : `${Math.round(amount).toLocaleString("en-US")} USD`;
const amount = (value: number | null): string => (value === null ? "?" : String(Math.round(value * 100) / 100));

function ceiling({ pools, total, priceTableDate }: GpuCost, paint: Paint): string {
  if (pools.length === 0) return "GPU ceiling: no GPU pools";
  const isPriced = pools.some((pool) => pool.monthlyUsd !== null);
  const price = (text: string) => (isPriced ? [text] : []);
  const row = (pool: PoolCeiling) => [
    pool.pool,
    pool.cluster,
    pool.vmSize + (pool.spot ? " (spot)" : ""),
    `${amount(pool.minNodes)} to ${amount(pool.maxNodes)}`,
    amount(pool.gpus),
    `${amount(pool.gpuMemoryGiB)} GiB`,
    ...price(usd(pool.monthlyUsd) + (pool.spot && pool.monthlyUsd !== null ? ", less on spot" : "")),
  ];
  const lines = table([
    ["pool", "cluster", "size", "nodes", "GPUs", "GPU memory", ...price("a month at most")],
    ...pools.map(row),
    [
      ...["total", "", "", amount(total.nodes), amount(total.gpus), `${amount(total.gpuMemoryGiB)} GiB`],
      ...price(usd(total.monthlyUsd)),
    ],
  ]);
  const source = isPriced ? ` (on-demand list prices of ${priceTableDate}, for orientation)` : "";
  return titled(`GPU ceiling${source}`, lines, paint);
}

/** Columns of equal width. */
function table(rows: readonly (readonly string[])[]): string[] {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((cells) => (cells[column] ?? "").length)));
  return rows.map((cells) =>
    cells
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join("  ")
      .trimEnd(),
  );
}

function outputs({ outputs: values }: Plan, paint: Paint): string {
  const entries = Object.entries(values);
  if (entries.length === 0) return "";
  const width = Math.max(...entries.map(([key]) => key.length));
  const lines = entries.map(([key, value]) => indented(`${key.padEnd(width)}  `, shownValue(value)));
  return titled("Outputs", lines, paint);
}

function shownValue(value: Value): string {
  if (typeof value === "string") return value;
  if (isObject(value) && value["unknown"] === true) return "(known after deployment)";
  if (isObject(value) && value["secret"] === true) return "(secret)";
  return JSON.stringify(value)
    .replaceAll('{"unknown":true}', "(known after deployment)")
    .replaceAll('{"secret":true}', "(secret)");
}

const plural = (noun: string, count: number): string => (count === 1 ? noun : `${noun}s`);
