import * as fs from "node:fs";
import * as path from "node:path";
import { digest } from "../../core/digest";

/**
 * The Triton chart, as a Helm release names it: relative to the program's folder, because an absolute path would differ
 * between two checkouts and show as a change.
 */
export const tritonChart = "./charts/triton";

const tritonChartFolder = path.resolve(__dirname, "../..", tritonChart);

/** Files that Helm renders nothing from: text for readers, hidden files, and what editors leave behind. */
const unrendered = /(^|\/)(\.[^/]*|README\.md|[^/]*\.(swp|tmp))$/;

/**
 * Digest of what a chart renders from. Pulumi's Kubernetes provider compares a release's inputs and the version of its
 * chart, not what is in the chart's folder: with the digest among the values an edited template is a change.
 */
export function chartDigest(folder = tritonChartFolder): string {
  const files = fs
    .readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((file) => file.split(path.sep).join("/"))
    .filter((file) => !unrendered.test(file) && fs.statSync(path.join(folder, file)).isFile())
    .sort();
  return digest(
    files.map((file) => [file, fs.readFileSync(path.join(folder, file), "utf8")]),
    16,
  );
}
