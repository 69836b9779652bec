import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { parse as parseYaml } from "yaml";
import { adminKey, jsonSchema, keys, namespace } from "../../config/schema";
import { loadConfig } from "../../config";
import { load, minimal, release, warningsWith } from "./support";

describe("defaults", () => {
  it("make a production stack from the least that is required, without a warning", () => {
    const { config, warnings } = load();
    expect(warnings).toEqual([]);
    expect(config).toMatchObject({
      environment: "prod",
      gpuPools: [{ name: "t4", vmSize: "Standard_NC4as_T4_v3", min: 0, max: 12, osDiskType: "Ephemeral" }],
      modelStore: { auth: "workload-identity", replication: "ZRS" },
      machineLearning: { location: "westeurope" },
      autoscaling: { min: 2, max: 10, cpuPercent: 70, scaleDownWindowSeconds: 300 },
      release: undefined,
      replicaSlots: 12,
    });
  });

  it("cost little in dev: two GPU nodes and two replicas at most", () => {
    const { config } = load({ environment: "dev" });
    expect(config).toMatchObject({
      gpuPools: [{ max: 2 }],
      autoscaling: { max: 2 },
      modelStore: { replication: "LRS" },
    });
  });

  it("choose a managed disk where the local one does not hold image and models (NC24ads: 64 GiB)", () => {
    const { config } = load({ gpuPools: [{ name: "a100", vmSize: "Standard_NC24ads_A100_v4" }] });
    expect(config.gpuPools[0]?.osDiskType).toBe("Managed");
  });

  it("work out the start-up budget and K8 the scale-down window from the release", () => {
    const large = { ...release, sizeBytes: 40 * 1000 * 2 ** 20 };
    const { config } = load({ releases: [large], release: "r1" });
    expect(config.startupBudgetSeconds).toBe(1000 + 30 + 600);
    expect(config.autoscaling.scaleDownWindowSeconds).toBe(1030);
    expect(config.release?.id).toBe("r1");
  });

  it("accept bare numbers where YAML makes numbers of quantities", () => {
    expect(load({ triton: { resources: { cpu: 2 } } }).config.triton.resources.cpu).toBe("2");
  });

  it("are frozen through and through", () => {
    const { config } = load();
    expect(Object.isFrozen(config)).toBe(true);
    expect(Object.isFrozen(config.gpuPools[0])).toBe(true);
  });

  it("do not depend on the order of regions once the home of shared things is named", () => {
    const regions = [
      { location: "westeurope", addressSpace: "10.10.0.0/16" },
      { location: "northeurope", addressSpace: "10.20.0.0/16" },
    ];
    const machineLearning = { location: "northeurope" };
    const there = load({ regions, machineLearning }).config;
    const back = load({ regions: [...regions].reverse(), machineLearning }).config;
    expect({ ...there, regions: [] }).toEqual({ ...back, regions: [] });
  });
});

describe("capacity", () => {
  it.each([
    ["time slices", { cluster: { timeSlicing: 2 }, triton: { resources: { cpu: "1", memory: "6Gi" } } }, 24],
    [
      "MIG slices",
      {
        gpuPools: [{ name: "a100", vmSize: "Standard_NC24ads_A100_v4", migProfile: "MIG1g", max: 2 }],
        autoscaling: { max: 4 },
      },
      14,
    ],
    [
      "two GPUs for a replica",
      { gpuPools: [{ name: "t4", vmSize: "Standard_NC64as_T4_v3" }], triton: { resources: { gpus: 2 } } },
      24,
    ],
  ])("counts %s", (_title, overrides, slots) => expect(load(overrides).config.replicaSlots).toBe(slots));

  it("counts a mixed MIG strategy under the slice's own name only", () => {
    const pool = { name: "a100", vmSize: "Standard_NC24ads_A100_v4", migProfile: "MIG3g" };
    const overrides = {
      gpuPools: [pool],
      cluster: { migStrategy: "mixed" },
      triton: { resources: { gpuResource: "nvidia.com/mig-3g.40gb" } },
    };
    expect(load(overrides).config.replicaSlots).toBe(24);
  });
});

describe("warnings", () => {
  it.each([
    ["an example suffix", { suffix: "exmpl" }, /^suffix: `exmpl` is an example/],
    [
      "an example admin",
      { access: { clusterAdmins: [{ objectId: "11111111-1111-4111-8111-111111111111" }] } },
      /^access\.clusterAdmins\[0\]\.objectId: this is an example/,
    ],
    ["a location not known here", { regions: [{ location: "westeurop" }] }, /did you mean westeurope\?/],
    [
      "A11: a pinned patch",
      { cluster: { kubernetesVersion: "1.36.1" } },
      /^cluster\.kubernetesVersion: 1\.36\.1 pins a patch/,
    ],
    [
      "an image that does not tell its release",
      { triton: { image: { tag: "ours" } } },
      /^triton\.image\.tag: ours does not tell/,
    ],
    ["spot only in prod", { gpuPools: [{ name: "t4", spot: true }] }, /^gpuPools: all pools are spot/],
    ["no room for a roll-out", { gpuPools: [{ name: "t4", max: 10 }] }, /^gpuPools: the pools hold 10 replicas/],
    [
      "K5: one replica at most",
      { gpuPools: [{ name: "t4", max: 1 }], autoscaling: { min: 1, max: 1 } },
      /^gpuPools: there is room for one replica only/,
    ],
  ])("%s", (_title, overrides, warning) => {
    const warnings = warningsWith(overrides);
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toMatch(warning);
  });
});

describe("Pulumi.yaml", () => {
  const project = parseYaml(readFileSync("Pulumi.yaml", "utf8")) as {
    name: string;
    config: Record<string, { type?: string; default?: unknown; description?: string; secret?: boolean }>;
  };

  it("declares the same keys as the schemas, each with a description", () => {
    expect(project.name).toBe(namespace);
    expect(Object.keys(project.config)).toEqual([...keys, adminKey]);
    for (const [key, { description }] of Object.entries(project.config)) expect(description, key).toBeTruthy();
  });

  it("gives defaults that mean the same as leaving the key out, and requires what the schemas require", () => {
    const defaults = Object.fromEntries(
      Object.entries(project.config).flatMap(([key, entry]) =>
        "default" in entry && key !== adminKey ? [[key, entry.default]] : [],
      ),
    );
    expect(loadConfig({ ...minimal, ...defaults }).config).toEqual(load().config);
    const required = Object.keys(project.config).filter((key) => !("default" in (project.config[key] ?? {})));
    expect(required.sort()).toEqual([...(jsonSchema().required ?? [])].sort());
  });

  it("marks the secret and nothing else", () => {
    expect(Object.keys(project.config).filter((key) => project.config[key]?.secret)).toEqual([adminKey]);
  });
});

describe("the shipped stack files", () => {
  it.each(["dev", "prod"])("Pulumi.%s.yaml is valid and warns only of its example values", (stack) => {
    const file = parseYaml(readFileSync(`Pulumi.${stack}.yaml`, "utf8")) as { config: Record<string, unknown> };
    const raw = Object.fromEntries(
      Object.entries(file.config).map(([key, value]) => [key.slice(namespace.length + 1), value]),
    );
    const { config, warnings } = loadConfig(raw);
    expect(config.environment).toBe(stack);
    for (const { message } of warnings) expect(message).toMatch(/is an example/);
    expect(warnings).toHaveLength(2);
  });
});
