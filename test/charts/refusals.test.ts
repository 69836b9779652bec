import { describe, expect, it } from "vitest";
import { refusal, type Values } from "../support/helm";

const cloud = { url: "as://account/container" };
const triton = (values: Values): Values => ({ triton: values });
const ranges = (cidr: string): Values => ({ networkPolicy: { egress: { ranges: [{ cidr, ports: [443] }] } } });

/** What the chart's templates refuse, with the key and the remedy. */
const problems: [Values, string][] = [
  [{ image: { tag: "latest" } }, "image.tag: latest changes under running pods; name a release, such as 26.07-py3"],
  [{ image: { tag: "" } }, "image: name a tag, such as 26.07-py3, or a digest"],
  [
    { modelRepository: { url: "as://account" } },
    "modelRepository.url: as://account is not of the form as://account/container[/path], without empty folders or a slash at the end",
  ],
  [{ modelRepository: { url: "as://account/container/" } }, "modelRepository.url: as://account/container/ is not"],
  [{ modelRepository: { url: "as://account//container" } }, "modelRepository.url: as://account//container is not"],
  [{ modelRepository: { url: "gs://bucket/a//b" } }, "modelRepository.url: gs://bucket/a//b is not of the form gs://"],
  [{ modelRepository: { url: "s3://bucket/" } }, "modelRepository.url: s3://bucket/ is not of the form s3://"],
  [{ modelRepository: { url: "/" } }, "modelRepository.url: / is not of the form /path"],
  [{ modelRepository: { url: "/models/" } }, "modelRepository.url: /models/ is not of the form /path"],
  [
    { modelRepository: cloud, ...triton({ modelControlMode: "poll" }) },
    "triton.modelControlMode: poll sees no change in cloud storage; use none or explicit",
  ],
  [
    triton({ loadModels: ["a"] }),
    "triton.loadModels: Triton reads it with modelControlMode explicit only, not with none",
  ],
  [triton({ modelControlMode: "explicit", loadModels: ["*", "a"] }), 'triton.loadModels: "*" loads all models'],
  [
    { modelRepository: { ...cloud, existingClaim: "c" } },
    "modelRepository.existingClaim: set modelRepository.url to the path",
  ],
  [triton({ restrictedApis: { apis: ["trace"] } }), "triton.restrictedApis.secretName: name the Secret"],
  [
    { sharedMemory: "8Gi" },
    "resources.memory: 8Gi does not exceed the 8448 MiB of shared memory, response cache, pinned",
  ],
  [triton({ responseCacheBytes: 7 * 2 ** 30 }), "resources.memory: 8Gi does not exceed the 8448 MiB"],
  [
    { gpus: 0, extraVolumes: [{ name: "m", emptyDir: { medium: "Memory", sizeLimit: "7Gi" } }] },
    "resources.memory: 8Gi does not exceed the 8192 MiB",
  ],
  [
    { resources: { cpu: "2", cpuLimit: "1500m" } },
    "resources.cpuLimit: 1500m is less than the request resources.cpu, 2",
  ],
  [{ gpus: 0, ...triton({ cudaMemoryPoolBytes: 1 }) }, "triton.cudaMemoryPoolBytes: there is no GPU with gpus: 0"],
  [{ rollout: { maxSurge: 0 } }, "rollout: with maxSurge and maxUnavailable both 0 no pod could ever be replaced"],
  [
    { startup: { budgetSeconds: 2400 } },
    "rollout.progressDeadlineSeconds: 2400 does not exceed startup.budgetSeconds, 2400",
  ],
  [{ scaledExternally: true, autoscaling: { enabled: true } }, "autoscaling.enabled: two autoscalers would fight"],
  [
    { autoscaling: { enabled: true, minReplicas: 3, maxReplicas: 2 } },
    "autoscaling.maxReplicas: 2 is less than autoscaling.minReplicas, 3",
  ],
  [{ autoscaling: { enabled: true, targetCPUUtilizationPercentage: null } }, "autoscaling: nothing to scale by"],
  [
    ranges("169.254.169.254/32"),
    "networkPolicy.egress.ranges[0]: 169.254.169.254/32 is the instance metadata service, which hands the node's identity",
  ],
  [
    { networkPolicy: { egress: { dns: [{ ipBlock: { cidr: "169.254.0.0/16" } }] } } },
    "networkPolicy.egress.dns[0]: 169.254.0.0/16 holds the instance metadata service",
  ],
  [{ env: [{ name: "HOME", value: "/root" }] }, "env: the chart sets HOME itself; remove it"],
  [
    { modelRepository: cloud, env: [{ name: "TRITON_AZURE_MOUNT_DIRECTORY", value: "/x" }] },
    "env: the chart sets TRITON_AZURE_MOUNT_DIRECTORY itself; remove it",
  ],
  [
    {
      env: [{ name: "TRITON_ADMIN_KEY", value: "k" }],
      ...triton({ restrictedApis: { apis: ["trace"], secretName: "s" } }),
    },
    "env: the chart sets TRITON_ADMIN_KEY itself; remove it",
  ],
  [
    { gpus: 0, env: [{ name: "NVIDIA_VISIBLE_DEVICES", value: "all" }] },
    "env: the chart sets NVIDIA_VISIBLE_DEVICES itself",
  ],
  [
    {
      env: [
        { name: "A", value: "1" },
        { name: "A", value: "2" },
      ],
    },
    "env: A is there twice",
  ],
  [{ podLabels: { "triton/release": "r" } }, "podLabels: the chart sets triton/release itself; remove it"],
  [
    { podLabels: { "app.kubernetes.io/component": "x" } },
    "podLabels: the chart sets app.kubernetes.io/component itself",
  ],
  [{ podLabels: { team: "a" }, commonLabels: { team: "b" } }, "podLabels: team is in commonLabels already"],
  [{ commonLabels: { "app.kubernetes.io/name": "x" } }, "commonLabels: the chart sets app.kubernetes.io/name itself"],
  [{ podAnnotations: { "triton/chart-digest": "x" } }, "podAnnotations: the chart sets triton/chart-digest itself"],
  [{ extraVolumes: [{ name: "temporary", secret: {} }] }, "extraVolumes: the name temporary is taken; choose another"],
  [{ extraVolumeMounts: [{ name: "a", mountPath: "/a" }] }, "extraVolumeMounts: no volume a in extraVolumes"],
  [
    { extraVolumes: [{ name: "a", secret: {} }], extraVolumeMounts: [{ name: "a", mountPath: "/tmp" }] },
    "extraVolumeMounts: something is mounted at /tmp already; choose another path",
  ],
  [{ test: { request: { inputs: [] } } }, "test.model: name the model that test.request is for"],
];

/** What the schema refuses: the place, and a part of the reason. */
const violations: [Values, string, string][] = [
  [{ replicas: 2 }, "''", "'replicas' not allowed"],
  [{ image: { digset: "x" } }, "/image", "'digset' not allowed"],
  [{ terminationGracePeriodSeconds: 30 }, "''", "'terminationGracePeriodSeconds' not allowed"],
  [{ hostNetwork: true }, "''", "'hostNetwork' not allowed"],
  [{ podSecurity: null }, "''", "missing property 'podSecurity'"],
  [{ podSecurity: { runAsUser: 0 } }, "/podSecurity/runAsUser", "got 0, want 1"],
  [{ podSecurity: { privileged: true } }, "/podSecurity", "'privileged' not allowed"],
  [{ shutdown: { marginSeconds: 0 } }, "/shutdown/marginSeconds", "got 0, want 5"],
  [{ shutdown: { preStopSeconds: 0 } }, "/shutdown/preStopSeconds", "got 0, want 1"],
  [{ modelRepository: { url: "models" } }, "/modelRepository/url", "does not match pattern"],
  [{ modelRepository: { url: "https://account/container" } }, "/modelRepository/url", "does not match pattern"],
  [
    { modelRepository: { volume: { sizeLimit: "0Gi" } } },
    "/modelRepository/volume/sizeLimit",
    "does not match pattern",
  ],
  [{ modelRepository: { volume: { mountPathEnv: [] } } }, "/modelRepository/volume/mountPathEnv", "minItems"],
  [{ sharedMemory: "lots" }, "/sharedMemory", "does not match pattern"],
  [{ resources: { cpu: "0" } }, "/resources/cpu", "does not match pattern"],
  [{ resources: { memory: 8 } }, "/resources/memory", "got number, want string"],
  [{ gpus: 0.5 }, "/gpus", "got number, want integer"],
  [triton({ restrictedApis: { apis: ["health"] } }), "/triton/restrictedApis/apis/0", "value must be one of"],
  [triton({ modelControlMode: "pool" }), "/triton/modelControlMode", "value must be one of 'none', 'explicit', 'poll'"],
  [triton({ repositoryPollSeconds: 1 }), "/triton/repositoryPollSeconds", "got 1, want 60"],
  [triton({ exitOnError: "yes" }), "/triton/exitOnError", "got string, want boolean"],
  [triton({ rateLimiter: false }), "/triton/rateLimiter", "value must be one of"],
  [triton({ extraArgs: ["--id", "x"] }), "/triton/extraArgs/1", "does not match pattern"],
  [triton({ backendConfig: ["python"] }), "/triton/backendConfig/0", "does not match pattern"],
  [{ extraVolumes: [{ name: "a", hostPath: { path: "/" } }] }, "/extraVolumes/0", "'hostPath' not allowed"],
  [{ extraVolumes: [{ name: "a", emptyDir: {} }] }, "/extraVolumes/0/emptyDir", "missing property 'sizeLimit'"],
  [{ networkPolicy: { ingress: { clients: [{}] } } }, "/networkPolicy/ingress/clients/0", "minProperties"],
  [{ networkPolicy: { egress: { pods: [{ ports: [80] }] } } }, "/networkPolicy/egress/pods/0", "minProperties"],
  [ranges("10.0.0.0/33"), "/networkPolicy/egress/ranges/0/cidr", "does not match pattern"],
  [{ releaseId: "r 1" }, "/releaseId", "does not match pattern"],
  [{ fullnameOverride: "Triton" }, "/fullnameOverride", "does not match pattern"],
];

describe.concurrent("values that the templates refuse", () => {
  it.each(problems)("%j", async (values, message) => {
    expect(await refusal(values)).toContain(`- ${message}`);
  });

  it("are all named at once", async () => {
    const message = await refusal({ rollout: { maxSurge: 0 }, image: { tag: "latest" }, sharedMemory: "9Gi" });
    expect(message.match(/^ {2}- \S+: /gm)).toEqual(["  - image.tag: ", "  - resources.memory: ", "  - rollout: "]);
  });
});

describe.concurrent("options that a value of the chart owns", () => {
  it.each([
    ["--exit-on-error=false", "exit-on-error"],
    ["--model-repository=/other", "model-repository"],
    ["--http-port=80", "http-port"],
    ["--allow-metrics=false", "allow-metrics"],
    ["--response-cache-byte-size=1", "response-cache-byte-size"],
    ["--grpc-restricted-protocol=health:a=b", "grpc-restricted-protocol"],
    // The server completes abbreviations.
    ["--exit-t=1", "exit-timeout-secs"],
    ["--strict-r=false", "strict-readiness"],
  ])("%s is refused among the further arguments", async (argument, option) => {
    expect(await refusal(triton({ extraArgs: [argument] }))).toContain(
      `- triton.extraArgs: ${argument} sets --${option}, which the chart's own values own; use those`,
    );
  });
});

describe.concurrent("values that the schema refuses", () => {
  it.each(violations)("%j", async (values, place, reason) => {
    const line = (await refusal(values)).split("\n").find((text) => text.includes(reason));
    expect(line).toContain(place === "''" ? "at ''" : `at '${place}'`);
  });
});
