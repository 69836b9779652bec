/**
 * `npm run e2e [-- --only NAME… | --quick]`: runs the scenarios, each in a sandbox of its own, and ends with `N passed, N
 * failed`.
 */
import * as fs from "node:fs";
import { createRequire } from "node:module";
import * as os from "node:os";
import * as path from "node:path";
import { parseArgs } from "node:util";
import { buildMissingParts } from "./parts/build/main";
import { deadline } from "./parts/lib/deadline";
import { inSandbox, runFolder } from "./parts/lib/sandbox";
import { cleanRun } from "./parts/sandbox/clean-run";
import { type Scenario } from "./scenario";
import { World } from "./world";

const scenariosFolder = path.join(__dirname, "scenarios");

/** Each file of scenarios/ exports one, `scenario`, whose name is the file's. */
const names = fs.readdirSync(scenariosFolder).map((file) => path.basename(file, ".ts"));

// `import()` would leave ts-node's hook aside, which knows TypeScript.
const load = (name: string): Scenario =>
  (createRequire(__filename)(path.join(scenariosFolder, name)) as { scenario: Scenario }).scenario;

const { values } = parseArgs({
  options: {
    only: { type: "string", multiple: true },
    quick: { type: "boolean" },
    "keep-logs": { type: "boolean" },
  },
});

const say = (line: string): void => void process.stdout.write(`${line}\n`);
const seconds = (since: number): string => `${((Date.now() - since) / 1000).toFixed(1)} s`;

/** Runs one scenario in a sandbox, and writes how many steps passed where the process outside reads it. */
async function inside(name: string): Promise<number> {
  const scenario = load(name);
  let passed = 0;
  let failure: unknown;
  const world = await World.start(name);
  try {
    for (const { promise, run } of scenario.steps) {
      const start = Date.now();
      if (failure !== undefined) {
        say(`  -     ${promise} (not run)`);
        continue;
      }
      try {
        await run(world);
        passed++;
        say(`  ok    ${promise} (${seconds(start)})`);
      } catch (error) {
        failure = error;
        say(`  FAIL  ${promise} (${seconds(start)})`);
        say(error instanceof Error ? (error.stack ?? error.message) : String(error));
      }
    }
  } finally {
    await world.stop();
  }
  fs.writeFileSync(path.join(resultsFolder(), name), String(passed));
  return failure === undefined ? 0 : 1;
}

const resultsFolder = (): string => process.env["TRITON_AZURE_E2E_RESULTS"] ?? runFolder();

async function outside(): Promise<number> {
  // A wrong factor is told before anything is built.
  deadline(0);
  const { only = [], quick = false } = values;
  const unknown = only.filter((name) => !names.includes(name));
  if (unknown.length > 0) {
    say(`No scenario ${unknown.join(", ")}. There are: ${names.join(", ")}.`);
    return 2;
  }
  await buildMissingParts(say);
  const results = fs.mkdtempSync(path.join(os.tmpdir(), "triton-azure-e2e-results-"));
  process.env["TRITON_AZURE_E2E_RESULTS"] = results;
  const chosen = names.filter((name) => (only.length > 0 ? only.includes(name) : !(quick && load(name).slow === true)));
  const summary: string[] = [];
  let passed = 0;
  let failed = 0;
  try {
    for (const name of chosen) {
      const start = Date.now();
      const { steps } = load(name);
      say(name);
      const { code, left } = await cleanRun(__filename, ["--only", name], {
        keepLogs: values["keep-logs"] === true,
      });
      const file = path.join(results, name);
      const kept = fs.existsSync(file) ? Number(fs.readFileSync(file, "utf8")) : 0;
      passed += kept;
      failed += steps.length - kept + left.length;
      summary.push(`${name}: ${kept} of ${steps.length} promises kept in ${seconds(start)}`);
      if (code === 130) break;
    }
  } finally {
    fs.rmSync(results, { recursive: true, force: true });
  }
  const leftOut = names.filter((name) => !chosen.includes(name));
  say(["", ...summary, ...(leftOut.length > 0 ? [`not run: ${leftOut.join(", ")}`] : [])].join("\n"));
  say(`\n${passed} passed, ${failed} failed`);
  return failed === 0 && passed > 0 ? 0 : 1;
}

async function main(): Promise<void> {
  if (!inSandbox()) process.exitCode = await outside();
  else {
    const [name] = values.only ?? [];
    if (name === undefined) throw new Error("A sandbox runs one scenario, named by --only.");
    process.exitCode = await inside(name);
  }
}

main().catch((error: unknown) => {
  process.stderr.write(`e2e: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
  process.exit(1);
});
