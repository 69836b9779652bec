import { describe, expect, it } from "vitest";
import { rules } from "../../policies/rules";
import { runPolicies } from "../../tools/preview/policies";
import { configured, readPolicyConfig } from "../../tools/preview/policy-pack";
import { projectRoot, type Run, runStack, type RunStackOptions } from "../support/engine";

const release = {
  releases: [{ id: "r1", sizeBytes: 100_000_000, models: [{ name: "scaler", versions: [1], backend: "python" }] }],
  release: "r1",
};

/** Violations in a stack, by the settings of an environment with changes. */
async function judge(run: Run, environment: string, changes: Record<string, Record<string, unknown>> = {}) {
  const settings = { ...readPolicyConfig(projectRoot, environment), ...changes };
  return runPolicies(configured(rules, settings), run.recording.resources, run.recording.stackUrn);
}

const program = async (options: RunStackOptions): Promise<Run> => {
  const run = await runStack(options);
  expect(run.exitCode, run.stderr).toBe(0);
  return run;
};

describe("the project's own stacks", { timeout: 120_000 }, () => {
  it("pass in prod, serving a release, and every setting bites", async () => {
    const run = await program({ stackFile: "Pulumi.prod.yaml", stack: "prod", config: release });
    const found = await judge(run, "prod");
    expect(found.filter(({ level }) => level === "mandatory")).toEqual([]);
    // What nobody can know before the first deployment.
    expect([...new Set(found.map(({ policy }) => policy))]).toEqual(["kubeconfig-no-credentials", "storage-route"]);

    const strict = await judge(run, "prod", {
      "gpu-pool-cap": { maxNodes: 1 },
      "gpu-total-cap": { maxGpus: 1 },
      "gpu-size-listed": { allowedSizes: ["Standard_NC24ads_A100_v4"] },
      "triton-probes": { minStartupSeconds: 1_000_000 },
      "pods-unprivileged": { hostPathImages: [] },
      "required-tags": { tags: ["cost-centre"] },
    });
    const violated = new Set(strict.filter(({ level }) => level === "mandatory").map(({ policy }) => policy));
    expect([...violated].sort()).toEqual([
      "gpu-pool-cap",
      "gpu-size-listed",
      "gpu-total-cap",
      "pods-unprivileged",
      "required-tags",
      "triton-probes",
    ]);
  });

  it("pass in dev with the account key that the stack chose, and not where the settings allow none", async () => {
    const modelStore = { auth: "account-key", network: "private-endpoint" };
    const access = {
      clusterAdmins: [{ objectId: "11111111-1111-4111-8111-111111111111", type: "Group" }],
      runner: "private",
    };
    const run = await program({ stackFile: "Pulumi.dev.yaml", config: { ...release, modelStore, access } });
    expect((await judge(run, "dev")).filter(({ level }) => level === "mandatory")).toEqual([]);
    const strict = await judge(run, "dev", { "storage-no-shared-keys": { allowAccountKey: false } });
    expect(strict.filter(({ level }) => level === "mandatory")).toMatchObject([
      { policy: "storage-no-shared-keys", message: expect.stringContaining("allowSharedKeyAccess is true") as unknown },
    ]);
  });

  it("pass when they are deployed, and then without anything unknown (C1)", async () => {
    const run = await program({ stackFile: "Pulumi.dev.yaml", config: release, dryRun: false });
    expect(await judge(run, "dev")).toEqual([]);
  });
});
