import { spawn } from "node:child_process";
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { type Plan } from "../../../tools/preview/plan";
import { projectRoot } from "../../support/engine";

const out = fs.mkdtempSync(path.join(os.tmpdir(), "preview-"));
afterAll(() => {
  fs.rmSync(out, { recursive: true });
});

interface Ended {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** Starts the command line in the folder of a fixture, as `npm run preview` does in the project's. */
function start(fixture: string, args: string[], env: NodeJS.ProcessEnv = {}) {
  const tool = path.join(projectRoot, "tools/preview");
  const child = spawn(
    process.execPath,
    ["--require", path.join(tool, "register.cjs"), path.join(tool, "main.ts"), ...args],
    {
      cwd: path.join(__dirname, "fixtures", fixture),
      env: { ...process.env, ...env },
      stdio: ["ignore", "pipe", "pipe"],
    },
  );
  const result: Ended = { code: null, stdout: "", stderr: "" };
  child.stdout.on("data", (text) => (result.stdout += String(text)));
  child.stderr.on("data", (text) => (result.stderr += String(text)));
  const ended = new Promise<Ended>((resolve) => {
    child.once("close", (code) => {
      resolve({ ...result, code });
    });
  });
  return { child, ended };
}
const run = (fixture: string, ...args: string[]) => start(fixture, args).ended;

async function until<T>(condition: () => T | undefined | false): Promise<T> {
  for (;;) {
    const found = condition();
    if (found) return found;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
const isRunning = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

describe.concurrent("npm run preview", { timeout: 120_000 }, () => {
  it("exits 0 when all is fine, and writes plan and manifests", async () => {
    const json = path.join(out, "plan.json");
    const manifests = path.join(out, "manifests");
    const { code, stdout, stderr } = await run("serving", "--json", json, "--manifests", manifests);
    expect(stderr).toBe("");
    expect(code).toBe(0);
    expect(stdout).toContain("Preview of stack dev of serving");
    expect(stdout).toContain("13 resources: 8 azure-native, 1 component, 3 kubernetes, 1 provider");
    expect(stdout).toContain("3 policies: 0 mandatory violations, 1 advisory");
    expect(stdout).not.toContain("\u001b");
    const plan = JSON.parse(fs.readFileSync(json, "utf8")) as Plan;
    expect(plan.resources).toHaveLength(14);
    expect(plan.cost.total).toMatchObject({ nodes: 2, gpus: 2, gpuMemoryGiB: 32 });
    expect(plan.policies).toEqual([expect.objectContaining({ policy: "known-issuer", level: "advisory" })]);
    const manifest = path.join(manifests, "westeurope-aks", "secret-triton-admin.yaml");
    expect(fs.readFileSync(manifest, "utf8")).toContain("TRITON_ADMIN_KEY: <secret>");
    expect(fs.readdirSync(out).filter((file) => file.startsWith("plan.json."))).toEqual([]);
  });

  it("exits 1 on a mandatory violation, with the policies set as the environment's file says", async () => {
    const json = path.join(out, "prod.json");
    const { code, stdout } = await run("serving", "--stack", "Pulumi.prod.yaml", "--json", json);
    expect(code).toBe(1);
    expect(stdout).toContain(
      "VIOLATION few-gpu-nodes  pulumi:pulumi:Stack serving-prod\n    6 GPU nodes are more than 5",
    );
    expect(stdout).toContain("WARNING adminKey is not set");
    expect(fs.readFileSync(json, "utf8")).not.toContain("a key of the fixture");
  });

  it("exits 1 on wrong configuration, with the problems and no stack trace", async () => {
    const { code, stderr } = await run("misconfigured");
    expect(code).toBe(1);
    expect(stderr).toBe(
      `Pulumi.dev.yaml cannot be used

The stack's configuration has 2 problems:
  misconfigured:gpuPools[0].vmSize: Standard_NC6s_v3 was retired on 30 September 2025; use Standard_NC4as_T4_v3
  misconfigured:suffix: required: 4 to 6 characters a-z and 0-9
`,
    );
  });

  it("exits 1 on a stack that is not there", async () => {
    const { code, stderr } = await run("serving", "--stack", "prdo");
    expect([code, stderr]).toEqual([
      1,
      "there is no stack file Pulumi.prdo.yaml; did you mean prod? (stacks here: dev, prod)\n",
    ]);
  });

  it("exits 2 on wrong usage, and says what is right", async () => {
    const unknown = await run("serving", "--stak", "dev");
    expect(unknown.code).toBe(2);
    expect(unknown.stderr).toMatch(/Unknown option '--stak'[^]*Usage: npm run preview/);
    const missing = await run("serving", "--json", path.join(out, "no", "folder.json"));
    expect(missing.code).toBe(2);
    expect(missing.stderr).toMatch(/^cannot write .*folder\.json: there is no folder/);
    const help = await run("serving", "--help");
    expect([help.code, help.stdout]).toEqual([0, expect.stringContaining("Exit code: 0 fine; 1 ")]);
  });

  it("exits 3 when the program fails, with the user's own frames and causes", async () => {
    const json = path.join(out, "broken.json");
    const { code, stdout, stderr } = await run("broken", "--json", json);
    expect([code, stdout]).toEqual([3, ""]);
    expect(stderr).toBe(
      `The program failed

Error: the store westeurope cannot be built
    at brokenStore (store.ts:3:9)
    at new Region (index.ts:7:16)
  caused by RangeError: no room left
`,
    );
    expect(fs.existsSync(json)).toBe(false);
  });

  it("exits 3 when the policies do not load, and leaves no program running", async () => {
    const { code, stderr } = await run("lawless");
    expect(code).toBe(3);
    expect(stderr).toBe(
      `policies/rules/index.ts does not load: TypeError: no law
    at Object.<anonymous> (policies/rules/index.ts:1:7)
`,
    );
  });

  it("exits 3 when an output fails, with the line that did it", async () => {
    const { code, stderr } = await run("apply");
    expect(code).toBe(3);
    expect(stderr).toMatch(/no account can be named after urn:[^\n]*\n {4}at index\.ts:8:9\n$/);
  });

  it("exits 3 when the program just ends, with what it said", async () => {
    const { code, stderr } = await run("silent");
    expect([code, stderr]).toEqual([
      3,
      "The program failed\n\nthe program ended with exit code 7:\nthe disk is full\n",
    ]);
  });

  it("leaves nothing behind when it is interrupted: no process, no file", async () => {
    for (const [signal, expected] of [
      ["SIGTERM", 143],
      ["SIGINT", 130],
    ] as const) {
      const marker = path.join(out, `pid-${signal}`);
      const json = path.join(out, `${signal}.json`);
      const { child, ended } = start("slow", ["--json", json], { SLOW_PROGRAM_PID: marker });
      const pid = Number(await until(() => fs.existsSync(marker) && fs.readFileSync(marker, "utf8")));
      expect(isRunning(pid)).toBe(true);
      child.kill(signal);
      expect((await ended).code).toBe(expected);
      await until(() => !isRunning(pid));
      expect(fs.readdirSync(out).filter((file) => file.startsWith(`${signal}.json`))).toEqual([]);
    }
  });
});
