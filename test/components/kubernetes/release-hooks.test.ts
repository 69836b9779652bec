import { afterEach, beforeEach, describe, expect, it } from "vitest";
import * as pulumi from "@pulumi/pulumi";
import { releaseHooks } from "../../../components/kubernetes/release-hooks";
import { untilServing, watchPods } from "../../../components/kubernetes/release-wait";
import { openCluster } from "../../../components/kubernetes/cluster-api";
import { runProgram } from "../../support/engine";
import { ApiServer } from "./api-server";
import { helmRecord } from "./helm-records";
import { crashing, deployment, pod, ready, replicaSet } from "./pods";

const release = { name: "triton", namespace: "triton" };
let server: ApiServer;

beforeEach(async () => {
  server = await new ApiServer().start();
});
afterEach(() => server.stop());

type Moment = "beforeCreate" | "beforeUpdate" | "afterCreate" | "afterUpdate";
interface Outcome {
  error?: string;
  retry?: boolean;
  warnings: string[];
  errors: string[];
}

/** Calls a hook as the engine does, while a program runs, and answers what came of it. */
async function call(moment: Moment | "onError", args: object = {}, kubeconfig = server.kubeconfig()): Promise<Outcome> {
  const outcome: Partial<Outcome> = {};
  const logged = { warnings: [] as string[], errors: [] as string[] };
  const program = async () => {
    const log = pulumi.log as { warn: unknown; error: unknown };
    const { warn, error } = log;
    log.warn = (message: string) => Promise.resolve(void logged.warnings.push(message));
    log.error = (message: string) => Promise.resolve(void logged.errors.push(message));
    try {
      const hooks = releaseHooks("triton", { release, kubeconfig: pulumi.secret(kubeconfig), deadlineSeconds: 0 });
      // As the registration of a resource would: a program that ends before makes the engine cancel it.
      for (const hook of hooks.onError ?? []) await (hook as unknown as { __registered: Promise<void> }).__registered;
      if (moment === "onError") {
        outcome.retry = (await hooks.onError?.[0]?.callback(args as pulumi.ErrorHookArgs)) ?? true;
      } else {
        const [hook] = hooks[moment] ?? [];
        if (typeof hook !== "function") throw new Error(`no hook ${moment}`);
        await hook({ name: "triton-release", ...args } as pulumi.ResourceHookArgs);
      }
    } catch (failure) {
      outcome.error = (failure as Error).message;
    } finally {
      Object.assign(log, { warn, error });
    }
  };
  await runProgram(program);
  return { ...outcome, ...logged };
}

describe("releaseHooks", () => {
  it.each(["beforeCreate", "beforeUpdate"] as const)(
    "%s repairs what a killed run left, and says so",
    async (moment) => {
      server.put(helmRecord(1, "pending-install"));
      const { error, warnings } = await call(moment);
      expect(error).toBeUndefined();
      expect(warnings).toEqual([
        "Helm release triton/triton: a former run was interrupted and left revision 1 pending; it is marked as failed now",
      ]);
    },
  );

  it.each(["beforeCreate", "beforeUpdate"] as const)("%s says nothing when all is well", async (moment) => {
    if (moment === "beforeUpdate") server.put(helmRecord(1, "deployed"));
    expect(await call(moment)).toEqual({ warnings: [], errors: [] });
  });

  it("beforeCreate refuses to install over a release that serves and that the stack does not know", async () => {
    server.put(helmRecord(1, "deployed"));
    expect((await call("beforeCreate")).error).toContain(
      "pulumi import kubernetes:helm.sh/v3:Release triton-release triton/triton",
    );
  });

  it("beforeUpdate tells a cluster that cannot be reached from other troubles", async () => {
    const kubeconfig = server.kubeconfig();
    await server.stop();
    const { error } = await call("beforeUpdate", {}, kubeconfig);
    expect(error).toMatch(
      /^Helm release triton\/triton cannot be prepared: the API server http:\S+ cannot be reached: /,
    );
  });

  it("onError shows the failing pod's own message, and does not ask for another try", async () => {
    server.put(deployment());
    server.put(pod("triton-1", { containers: [crashing("failed to load 'classifier'")] }));
    const { errors, retry, error } = await call("onError", { failedOperation: "update", errors: ["timed out"] });
    expect(errors).toHaveLength(1);
    expect(errors[0]).toMatch(/^Helm release triton\/triton: Pod triton-1 .*failed to load 'classifier'$/s);
    expect({ retry, error }).toEqual({ retry: false, error: undefined });
  });

  it.each([
    ["the cluster is gone", () => server.stop()],
    ["there is no Deployment", () => Promise.resolve()],
    [
      "all pods are ready",
      () => {
        for (const object of [deployment(), pod("triton-1", { conditions: ready })]) server.put(object);
        return Promise.resolve();
      },
    ],
    [
      "it may not look",
      () => {
        server.intercept = () => ({ code: 403, message: "forbidden" });
        return Promise.resolve();
      },
    ],
  ])("onError never fails itself, so that Pulumi reports the real error, when %s", async (_, arrange) => {
    const kubeconfig = server.kubeconfig();
    await arrange();
    const { error, retry, errors } = await call("onError", { failedOperation: "create" }, kubeconfig);
    expect({ error, retry }).toEqual({ error: undefined, retry: false });
    expect(errors).toHaveLength(1);
  });

  it("onError does not look at pods when it is the removal that failed", async () => {
    expect(await call("onError", { failedOperation: "delete" })).toEqual({ retry: false, warnings: [], errors: [] });
    expect(server.requests).toEqual([]);
  });

  it("afterCreate fails when no pod serves, with the failing pod's message", async () => {
    server.put(deployment());
    server.put(replicaSet(2, 0));
    server.put(pod("triton-1", { containers: [crashing("failed to load 'classifier'")] }));
    const { error } = await call("afterCreate");
    expect(error).toMatch(
      /^Helm release triton\/triton does not serve: no pod serves after 0 s\. Pod triton-1 .*'classifier'$/s,
    );
  });
});

describe("untilServing", () => {
  const open = () => openCluster(server.kubeconfig());

  it("ends when a pod of the newest revision is ready, not with one of a former revision", async () => {
    server.put(deployment());
    server.put(replicaSet(1, 2));
    server.put(replicaSet(2, 0));
    await expect(untilServing(open, release, 0.1, 0.02)).rejects.toThrow("no pod serves after 0.1 s.");
    const done = untilServing(open, release, 5, 0.02);
    server.put(replicaSet(2, 1));
    await done;
  });

  it("waits until the controller has seen the new revision", async () => {
    server.put(deployment([], 1));
    server.put(replicaSet(2, 1));
    await expect(untilServing(open, release, 0.1, 0.02)).rejects.toThrow("no pod serves");
  });

  it("outlives an API server that is away for a moment", async () => {
    server.put(deployment());
    server.put(replicaSet(2, 1));
    let refusals = 2;
    server.intercept = () => (refusals-- > 0 ? { code: 503, message: "not now" } : undefined);
    await untilServing(open, release, 5, 0.02);
    expect(refusals).toBeLessThan(0);
  });
});

describe("watchPods", () => {
  function watch() {
    const told: string[] = [];
    const open = () => openCluster(server.kubeconfig());
    return { told, stop: watchPods(open, release, (message) => told.push(message), 0.02) };
  }

  it("tells once what breaks a pod while it is being waited for, and stops when asked", async () => {
    server.put(deployment());
    server.put(pod("triton-1", { containers: [crashing("failed to load 'classifier'")] }));
    const { told, stop } = watch();
    await expect.poll(() => server.requests.length, { timeout: 5000 }).toBeGreaterThan(6);
    stop();
    expect(told).toHaveLength(1);
    expect(told[0]).toContain("failed to load 'classifier'");
    await new Promise((resolve) => setTimeout(resolve, 200));
    const { length } = server.requests;
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(server.requests).toHaveLength(length);
  });

  it("keeps silent when the cluster cannot be asked", async () => {
    server.intercept = () => ({ code: 500, message: "broken" });
    const { told, stop } = watch();
    await expect.poll(() => server.requests.length, { timeout: 5000 }).toBeGreaterThan(2);
    stop();
    expect(told).toEqual([]);
  });
});
