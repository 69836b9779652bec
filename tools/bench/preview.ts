/**
 * Measures the preview of the shipped stacks: `npm run bench`.
 *
 * "cold" is the first run of a fresh clone, without transpiled files, "warm" any later one; the operating system may have
 * the files in memory in both. Memory is the largest sum over the preview's processes (Linux only). Slowness is no error.
 */
import { spawn } from "node:child_process";
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";

const root = path.resolve(__dirname, "../..");
const cache = path.join(root, "node_modules/.cache/triton-azure/transpiled");
const stacks = ["dev", "prod"];
const warmRuns = 3;

interface Measurement {
  seconds: number;
  /** Null where it cannot be measured. */
  peakMiB: number | null;
  exitCode: number | null;
}

/** Resident memory of a process and all below it, in KiB. */
function treeMemory(pid: number): number {
  try {
    const status = fs.readFileSync(`/proc/${pid}/status`, "utf8");
    const children = fs.readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ").filter(Boolean);
    const own = Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1] ?? 0);
    return children.reduce((sum, child) => sum + treeMemory(Number(child)), own);
  } catch {
    return 0; // The process has just ended.
  }
}

function measure(stack: string): Promise<Measurement> {
  const started = performance.now();
  const register = path.join(root, "tools/preview/register.cjs");
  const child = spawn(
    process.execPath,
    ["--require", register, path.join(root, "tools/preview/main.ts"), "--stack", stack],
    { cwd: root, stdio: "ignore" },
  );
  let peak = 0;
  const sampler = setInterval(() => {
    if (child.pid !== undefined) peak = Math.max(peak, treeMemory(child.pid));
  }, 100);
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (exitCode) => {
      clearInterval(sampler);
      const peakMiB = peak === 0 ? null : Math.round(peak / 1024);
      resolve({ seconds: (performance.now() - started) / 1000, peakMiB, exitCode });
    });
  });
}

function row(stack: string, run: string, { seconds, peakMiB, exitCode }: Measurement): string {
  const cells = [stack.padEnd(8), run.padEnd(6), seconds.toFixed(2).padStart(7), String(peakMiB ?? "-").padStart(10)];
  return [...cells, String(exitCode ?? "killed").padStart(9)].join("  ");
}

async function main(): Promise<void> {
  console.log(`Node.js ${process.version}, ${os.cpus().length} processors\n`);
  console.log("stack     run     seconds    peak MiB  exit code");
  for (const stack of stacks) {
    fs.rmSync(cache, { recursive: true, force: true });
    console.log(row(stack, "cold", await measure(stack)));
    const warm: Measurement[] = [];
    for (let run = 0; run < warmRuns; run++) warm.push(await measure(stack));
    const [median] = warm.sort((a, b) => a.seconds - b.seconds).slice(Math.floor(warmRuns / 2));
    if (median !== undefined) console.log(row(stack, "warm", median));
  }
}

void main();
