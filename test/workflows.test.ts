import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";

interface Step {
  uses?: string;
  run?: string;
  with?: Record<string, unknown>;
}
interface Job {
  if?: string;
  permissions?: Record<string, string>;
  concurrency?: { "cancel-in-progress": unknown };
  environment?: string;
  env?: Record<string, string>;
  "timeout-minutes"?: number;
  steps: Step[];
}
interface Workflow {
  on: Record<string, unknown>;
  permissions: Record<string, string>;
  jobs: Record<string, Job>;
}

const folder = ".github/workflows";
const files = readdirSync(folder);
const text = (file: string) => readFileSync(`${folder}/${file}`, "utf8");
const workflow = (file: string) => parse(text(file)) as Workflow;
const jobs = (file: string) => Object.values(workflow(file).jobs);
const steps = (file: string) => jobs(file).flatMap((job) => job.steps);
const uses = (job: Job | undefined, action: string) => job?.steps.find((step) => step.uses?.startsWith(`${action}@`));

describe.each(files)("workflow %s", (file) => {
  it("runs nothing of others under a tag that can move, and names the version of each commit", () => {
    for (const line of text(file)
      .split("\n")
      .filter((each) => each.includes("uses:"))) {
      expect(line).toMatch(/uses: [\w-]+\/[\w-]+@[0-9a-f]{40} # v\d/);
    }
  });

  it("C5: never hands the rights of a trusted run to a stranger's code", () => {
    expect(Object.keys(workflow(file).on)).not.toContain("pull_request_target");
    expect(workflow(file).permissions).toEqual({ contents: "read" });
    for (const step of steps(file).filter((each) => each.uses?.startsWith("actions/checkout@"))) {
      expect(step.with).toMatchObject({ "persist-credentials": false });
    }
  });

  it("holds no stored secret", () => expect(text(file)).not.toMatch(/\$\{\{\s*secrets\./));

  it("puts nothing that others write into a shell script", () => {
    for (const { run } of steps(file)) expect(run ?? "").not.toContain("${{");
  });

  it("ends by itself", () => {
    for (const job of jobs(file)) expect(job["timeout-minutes"]).toBeGreaterThan(0);
  });

  it("C4: installs the packages before anything uses them", () => {
    for (const job of jobs(file)) {
      const first = job.steps.findIndex(
        (step) => (step.run ?? "").startsWith("npm ") || step.uses?.startsWith("pulumi/actions@"),
      );
      expect(job.steps[first]?.run).toBe("npm ci");
    }
  });
});

describe("pull requests", () => {
  it("C5: from forks get all checks without credentials", () => {
    for (const job of jobs("ci.yml")) {
      expect(job.if).toBeUndefined();
      expect(job.permissions?.["id-token"]).toBeUndefined();
    }
    expect(steps("ci.yml").map(({ run }) => run)).toEqual(
      expect.arrayContaining(["npm run lint", "npm run typecheck", "npm test"]),
    );
  });

  it("C5: of the repository's own branches are previewed with OIDC and the policies of their stack", () => {
    const [job] = jobs("preview.yml");
    expect(job?.if).toContain("github.event.pull_request.head.repo.full_name == github.repository");
    expect(job?.permissions).toEqual({ contents: "read", "id-token": "write", "pull-requests": "write" });
    expect(Object.keys(job?.env ?? {})).toEqual(
      expect.arrayContaining(["ARM_USE_OIDC", "ARM_CLIENT_ID", "ARM_TENANT_ID", "ARM_SUBSCRIPTION_ID"]),
    );
    expect(uses(job, "pulumi/actions")?.with).toMatchObject({
      command: "preview",
      policyPacks: "policies",
      "comment-on-pr": true,
    });
  });
});

describe("deployments", () => {
  const [job] = jobs("deploy.yml");

  it("P10: wait for each other, are never cancelled, and outlast Helm's own deadline", () => {
    expect(job?.concurrency).toMatchObject({ "cancel-in-progress": false });
    expect(job?.["timeout-minutes"]).toBeGreaterThan(180);
  });

  it("need the approval of their environment and pass the policies", () => {
    expect(job?.environment).toBe("${{ matrix.stack }}");
    expect(uses(job, "pulumi/actions")?.with).toMatchObject({ command: "up", policyPacks: "policies" });
  });

  it("P2: ask GitHub for a token whenever the cluster wants one", () =>
    expect(job?.env).toMatchObject({ AAD_LOGIN_METHOD: "workloadidentity" }));
});
