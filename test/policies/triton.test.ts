import { describe, expect, it } from "vitest";
import { releasesKeepEvidence } from "../../policies/rules/releases-keep-evidence";
import { releasesPinned } from "../../policies/rules/releases-pinned";
import { tritonGracePeriod } from "../../policies/rules/triton-grace-period";
import { tritonLimits } from "../../policies/rules/triton-limits";
import { tritonNoPoll } from "../../policies/rules/triton-no-poll";
import { tritonProbes } from "../../policies/rules/triton-probes";
import { tritonRolloutRoom } from "../../policies/rules/triton-rollout-room";
import { gpuPool } from "./fixtures/azure";
import { autoscaler, container, otherRelease, tritonDeployment, tritonRelease } from "./fixtures/kubernetes";
import { type Fixture, verdicts } from "./support/analyzer";
import { promises } from "./support/promises";
import { changed, type Path, unknown } from "./support/values";

const pod = "spec.template.spec";
const values = (path: string) => `values.${path}`;

promises(tritonProbes, "workload (K1, K2)", {
  of: tritonDeployment,
  refuses: [
    {
      path: `${container}.livenessProbe.httpGet.path`,
      to: "/v2/health/ready",
      saying: /livenessProbe\.httpGet\.path is \/v2\/health\/ready; it must be \/v2\/health\/live/,
    },
    { path: `${container}.startupProbe.httpGet.path`, to: "/", saying: /startupProbe\.httpGet\.path is \// },
    {
      path: `${container}.readinessProbe.httpGet.path`,
      to: "/v2/health/live",
      saying: /readinessProbe\.httpGet\.path/,
    },
    { path: `${container}.startupProbe.failureThreshold`, to: 59, saying: /startupProbe gives 295 s to load models/ },
  ],
  needs: [
    { path: `${container}.startupProbe`, saying: /startupProbe\.httpGet\.path is missing/ },
    { path: `${container}.readinessProbe`, saying: /readinessProbe\.httpGet\.path is missing/ },
    { path: `${container}.livenessProbe`, saying: /livenessProbe\.httpGet\.path is missing/ },
    { path: `${container}.startupProbe.failureThreshold`, saying: /startupProbe gives 15 s/ },
  ],
  reads: [`${container}.startupProbe.failureThreshold`, `${container}.livenessProbe`],
});

promises(tritonProbes, "release of the chart (K1)", {
  of: tritonRelease,
  refuses: [
    {
      path: values("startup.budgetSeconds"),
      to: 299,
      saying: /^values\.startup\.budgetSeconds is 299; it must be 300 or more$/,
    },
    { path: values("startup.budgetSeconds"), to: null, saying: /values\.startup\.budgetSeconds is missing/ },
    { path: values("readiness.periodSeconds"), to: 0, saying: /values\.readiness\.periodSeconds is 0/ },
    { path: values("liveness.timeoutSeconds"), to: null, saying: /values\.liveness\.timeoutSeconds is missing/ },
  ],
  reads: [values("startup.budgetSeconds"), "values", "chart"],
});

promises(tritonProbes, "release of the chart, with less time in the settings", {
  of: { ...tritonRelease, props: changed(tritonRelease.props, values("startup.budgetSeconds"), 120) },
  settings: { minStartupSeconds: 120 },
  refuses: [{ path: values("startup.budgetSeconds"), to: 119, saying: /it must be 120 or more/ }],
});

promises(tritonLimits, "workload (K4)", {
  of: tritonDeployment,
  refuses: [
    {
      path: `${container}.resources.limits.memory`,
      to: "lots",
      saying: /limits\.memory is lots; it must be a quantity/,
    },
    { path: `${container}.volumeMounts`, to: [], saying: /volumeMounts hold nothing at \/dev\/shm/ },
    { path: `${pod}.volumes`, to: [], saying: /hold nothing at \/dev\/shm/, because: "a mount without volume" },
    {
      path: `${pod}.volumes[0].emptyDir`,
      to: { sizeLimit: "1Gi" },
      saying: /emptyDir is .*; it must be of medium Memory/,
    },
    { path: `${pod}.volumes[0].emptyDir.sizeLimit`, to: "12Gi", saying: /below the memory limit/ },
  ].map((refusal) => ({ because: refusal.saying.source, ...refusal })),
  needs: [
    { path: `${container}.resources.limits.ephemeral-storage`, saying: /ephemeral-storage is missing/ },
    { path: `${container}.resources.requests`, saying: /requests\.cpu is missing/ },
    { path: `${pod}.volumes[0].emptyDir.sizeLimit`, saying: /it must be of medium Memory with a sizeLimit/ },
    { path: `${pod}.volumes[0].emptyDir`, saying: /emptyDir is missing/ },
  ],
  reads: [`${container}.resources.limits.ephemeral-storage`, `${pod}.volumes[0].emptyDir`],
});

promises(tritonLimits, "release of the chart (K4)", {
  of: tritonRelease,
  refuses: [
    {
      path: values("resources.memory"),
      to: "8 GB",
      saying: /values\.resources\.memory is 8 GB; it must be a quantity/,
    },
    {
      path: values("sharedMemory"),
      to: "8Gi",
      saying: /sharedMemory is 8Gi; it must be a quantity below resources\.memory/,
    },
    { path: values("resources"), to: { memory: null, cpu: "2" }, saying: /values\.resources\.memory is missing/ },
    { path: values("resources.cpu"), to: null, saying: /values\.resources\.cpu is missing/ },
    { path: values("gpus"), to: "1", saying: /values\.gpus is 1; it must be a number/ },
    { path: values("temporaryStorage"), to: null, saying: /values\.temporaryStorage is missing/ },
    { path: values("logStorage"), to: "x", saying: /values\.logStorage is x/ },
    { path: values("modelRepository.volume.sizeLimit"), to: null, saying: /sizeLimit is missing/ },
  ],
  reads: [values("sharedMemory"), values("gpus"), "values"],
  allows: [{ path: values("resources"), to: undefined, because: "the chart's own resources" }],
});

promises(tritonGracePeriod, "workload (K3)", {
  of: tritonDeployment,
  refuses: [
    { path: `${pod}.terminationGracePeriodSeconds`, to: 45, saying: /is 45, not above preStop \(15\) plus .* \(30\)/ },
    { path: `${container}.lifecycle.preStop.sleep.seconds`, to: 0, saying: /lifecycle\.preStop is missing/ },
    {
      path: `${container}.args`,
      to: ["--exit-timeout-secs", "45"],
      saying: /is 60, not above preStop \(15\) plus .* \(45\)/,
    },
  ],
  needs: [
    { path: `${pod}.terminationGracePeriodSeconds`, saying: /terminationGracePeriodSeconds is 30, not above/ },
    { path: `${container}.lifecycle`, saying: /lifecycle\.preStop is missing/ },
  ],
  reads: [
    `${pod}.terminationGracePeriodSeconds`,
    `${container}.lifecycle.preStop.sleep.seconds`,
    `${container}.lifecycle`,
  ],
  allows: [
    {
      path: `${container}.lifecycle.preStop`,
      to: { exec: { command: ["/bin/sh", "-c", "sleep 20"] } },
      because: "a preStop command that sleeps",
    },
  ],
});

promises(tritonGracePeriod, "release of the chart (K3)", {
  of: tritonRelease,
  refuses: [
    {
      path: values("shutdown.preStopSeconds"),
      to: 0,
      saying: /values\.shutdown\.preStopSeconds is 0; it must be above 0/,
    },
    { path: values("shutdown.marginSeconds"), to: 0, saying: /values\.shutdown\.marginSeconds is 0/ },
    { path: values("triton.exitTimeoutSeconds"), to: null, saying: /values\.triton\.exitTimeoutSeconds is missing/ },
  ],
  reads: [values("shutdown.preStopSeconds"), values("triton.exitTimeoutSeconds")],
});

promises(tritonNoPoll, "release of the chart (T6, T7)", {
  of: tritonRelease,
  refuses: [
    {
      path: values("triton.modelControlMode"),
      to: "poll",
      saying: /values\.triton\.modelControlMode is poll: poll sees no/,
    },
    { path: values("triton.modelControlMode"), to: null, saying: /modelControlMode is missing/ },
  ],
  reads: [values("triton.modelControlMode"), "values"],
  allows: [
    { path: values("modelRepository.url"), to: unknown, because: "an address that is not known, without polling" },
    { path: values("triton.modelControlMode"), to: "explicit", because: "explicit" },
  ],
});

describe("triton-no-poll (T6)", () => {
  const polling = changed(tritonRelease.props, values("triton.modelControlMode"), "poll");
  const judge = (url: unknown) =>
    verdicts(tritonNoPoll, [{ ...tritonRelease, props: changed(polling, values("modelRepository.url"), url) }]);

  it("refuses polling of an address that is not known yet", async () => {
    expect(await judge(unknown)).toMatchObject([{ level: "mandatory" }]);
  });
  it("allows polling of a mounted repository", async () => {
    expect(await judge("/models")).toEqual([]);
  });
});

const repository = "--model-repository=as://models/model-repository";

promises(tritonNoPoll, "workload (T6)", {
  of: tritonDeployment,
  refuses: [
    {
      path: `${container}.args`,
      to: [repository, "--model-control-mode=poll"],
      saying: /args say --model-control-mode=poll/,
    },
    { path: `${container}.args`, to: [repository, "--model-control-mode", "poll"], saying: /args say/ },
    {
      path: `${container}.args`,
      to: ["--model-control-mode=poll"],
      saying: /args say/,
      because: "an address that is not there",
    },
  ],
  reads: [`${container}.args`],
  allows: [
    {
      path: `${container}.args`,
      to: ["--model-repository=/models", "--model-control-mode=poll"],
      because: "polling of a mounted repository",
    },
  ],
});

describe("Triton's policies", () => {
  const others: Fixture[] = [otherRelease, { ...tritonDeployment, props: withImage("busybox:1", ["sh"]) }];
  const policies = [tritonProbes, tritonLimits, tritonGracePeriod, tritonNoPoll];

  it.each(policies.map((policy) => [policy.name, policy] as const))("%s leaves others alone", async (_, policy) => {
    expect(await verdicts(policy, others)).toEqual([]);
  });
  it.each(policies.map((policy) => [policy.name, policy] as const))(
    "%s knows Triton by its command",
    async (_, policy) => {
      const bare = {
        ...tritonDeployment,
        props: withImage("registry.example/own:1", ["/opt/tritonserver/bin/tritonserver"]),
      };
      const stripped = changed(bare.props, pod, {
        containers: [{ image: "own:1", command: ["tritonserver"], args: pollArgs }],
      });
      expect(await verdicts(policy, [{ ...bare, props: stripped }])).not.toEqual([]);
    },
  );
  it.each(policies.map((policy) => [policy.name, policy] as const))(
    "%s reports an image that is not known yet",
    async (_, policy) => {
      const vague = { ...tritonDeployment, props: withImage(unknown, ["sh"]) };
      expect(await verdicts(policy, [vague])).toMatchObject([{ level: "advisory" }]);
    },
  );
  it("demand all values of a Triton chart whose defaults cannot be read", async () => {
    const elsewhere = { ...tritonRelease, props: changed(tritonRelease.props, "chart", "./vendor/triton") };
    expect(await verdicts(tritonProbes, [elsewhere])).toHaveLength(8);
  });
});

const pollArgs = [repository, "--model-control-mode=poll"];

function withImage(image: string, command: string[]): Fixture["props"] {
  return changed(changed(tritonDeployment.props, `${container}.image`, image), `${container}.command`, command);
}

promises(releasesPinned, "release of the chart (P8)", {
  of: tritonRelease,
  refuses: [
    { path: "chart", to: "/home/me/charts/other", saying: /chart is an absolute path/ },
    { path: "chart", to: "charts/other", saying: /version is missing; it must be an exact version/ },
    { path: "chart", to: "oci://registry.example/triton-inference", saying: /version is missing/ },
    { path: values("chartDigest"), to: "", saying: /values\.chartDigest is ; it must be the digest/ },
  ],
  needs: [
    { path: "chart", saying: /chart is missing/ },
    { path: values("chartDigest"), saying: /values\.chartDigest is ; it must be the digest/ },
  ],
  reads: ["chart", values("chartDigest")],
});

promises(releasesPinned, "release of a hosted chart (C2)", {
  of: otherRelease,
  refuses: [
    { path: "version", to: "^1.21", saying: /version is \^1\.21; it must be an exact version/ },
    { path: "version", to: "1.x", saying: /it must be an exact version/ },
    { path: "version", to: "", saying: /it must be an exact version/ },
  ],
  needs: [{ path: "version", saying: /version is missing/ }],
  reads: ["version"],
  allows: [{ path: "version", to: "v1.21.2-rc.1", because: "a version with a v" }],
});

promises(releasesKeepEvidence, "release", {
  of: tritonRelease,
  refuses: [
    { path: "atomic", to: true, saying: /atomic is true; it must be false/ },
    { path: "cleanupOnFail", to: true, saying: /cleanupOnFail is true/ },
  ],
  reads: ["atomic"],
  allows: [{ path: "atomic", to: undefined, because: "Helm's default" }],
});

describe("triton-rollout-room (K5)", () => {
  const stack = (changes: { maxCount?: number; replicas?: number; values?: [Path, unknown][] } = {}): Fixture[] => {
    const { maxCount = 2, replicas = 1 } = changes;
    const released = (changes.values ?? []).reduce(
      (props, [path, to]) => changed(props, path, to),
      tritonRelease.props,
    );
    return [
      { ...gpuPool, props: changed(gpuPool.props, "maxCount", maxCount) },
      { ...tritonRelease, props: released },
      { ...autoscaler, props: changed(autoscaler.props, "spec.maxReplicas", replicas) },
    ];
  };
  const judge = (changes?: Parameters<typeof stack>[0]) => verdicts(tritonRolloutRoom, stack(changes));

  it("lets one replica surge on two GPUs, and not on one", async () => {
    expect(await judge({ maxCount: 2 })).toEqual([]);
    expect(await judge({ maxCount: 1 })).toMatchObject([
      {
        level: "mandatory",
        name: "triton",
        message: expect.stringMatching(
          /^1 replicas and 1 more during a roll-out do not fit .* hold 1 at most/,
        ) as unknown,
      },
    ]);
  });
  it("allows a lone GPU when the old pod goes first", async () => {
    const inPlace: [Path, unknown][] = [["values.rollout", { maxSurge: 0, maxUnavailable: 1 }]];
    expect(await judge({ maxCount: 1, values: inPlace })).toEqual([]);
  });
  it("counts the replicas that the autoscaler may ask for", async () => {
    expect(await judge({ maxCount: 4, replicas: 3 })).toEqual([]);
    expect(await judge({ maxCount: 4, replicas: 4 })).toHaveLength(1);
  });
  it("counts the chart's own replicas when nothing else scales", async () => {
    const alone: [Path, unknown][] = [
      ["values.scaledExternally", false],
      ["values.replicaCount", 2],
    ];
    const judgeAlone = (maxCount: number) =>
      verdicts(tritonRolloutRoom, stack({ maxCount, values: alone }).slice(0, 2));
    expect(await judgeAlone(3)).toEqual([]);
    expect(await judgeAlone(2)).toHaveLength(1);
  });
  it("counts MIG slices and time slices", async () => {
    const [pool, ...rest] = stack({ maxCount: 1, replicas: 6 });
    const sliced = {
      ...gpuPool,
      props: { ...pool?.props, vmSize: "Standard_NC24ads_A100_v4", gpuInstanceProfile: "MIG1g" },
    };
    expect(await verdicts(tritonRolloutRoom, [sliced, ...rest])).toEqual([]);

    const config = "sharing:\n  timeSlicing:\n    resources: [{ name: nvidia.com/gpu, replicas: 4 }]\n";
    const plugin: Fixture = { type: "kubernetes:core/v1:ConfigMap", name: "plugin", props: { data: { config } } };
    const [lone, release, scaler] = stack({ maxCount: 1, replicas: 3 }) as [Fixture, Fixture, Fixture];
    const waiting = { ...release, dependencies: ["pool-t4", "plugin"] };
    expect(await verdicts(tritonRolloutRoom, [lone, plugin, waiting, scaler])).toEqual([]);
    expect(await verdicts(tritonRolloutRoom, [lone, plugin, release, scaler])).toHaveLength(1);
  });
  it("counts pods of several GPUs by whole nodes", async () => {
    const [pool, ...rest] = stack({ maxCount: 2, values: [["values.gpus", 3]] });
    const four = { ...gpuPool, props: { ...pool?.props, vmSize: "Standard_NC64as_T4_v3" } };
    expect(await verdicts(tritonRolloutRoom, [four, ...rest])).toEqual([]);
    const one = { ...four, props: { ...four.props, maxCount: 1 } };
    expect(await verdicts(tritonRolloutRoom, [one, ...rest])).toHaveLength(1);
  });
  it("refuses a release that waits for no GPU pool", async () => {
    const [pool, release, scaler] = stack() as [Fixture, Fixture, Fixture];
    expect(await verdicts(tritonRolloutRoom, [pool, { ...release, dependencies: [] }, scaler])).toMatchObject([
      { message: expect.stringContaining("depends on no GPU pool") as unknown },
    ]);
  });
  it("leaves a release on CPUs alone", async () => {
    expect(await judge({ maxCount: 1, values: [["values.gpus", 0]] })).toEqual([]);
  });
  it.each(["values.rollout", "values.gpus", "values"])("reports that %s is not known yet", async (path) => {
    expect(await judge({ maxCount: 1, values: [[path, unknown]] })).toMatchObject([{ level: "advisory" }]);
  });
});
