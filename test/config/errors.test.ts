import { describe, expect, it } from "vitest";
import { ConfigurationError, loadConfig } from "../../config";
import { admin, errorsOf, errorsWith, minimal, release } from "./support";

const gpuPool = (settings: Record<string, unknown>) => ({ gpuPools: [{ name: "t4", ...settings }] });
const triton = (settings: Record<string, unknown>) => ({ triton: settings });
const twoRegions = (first: object, second: object) => ({
  regions: [
    { location: "westeurope", ...first },
    { location: "northeurope", ...second },
  ],
  machineLearning: { location: "westeurope" },
});

/** One bad input a row, with the one error that it must give. */
const table: [title: string, overrides: Record<string, unknown>, error: string | RegExp][] = [
  ["a suffix that no storage account could carry", { suffix: "Ab_1" }, /^suffix: use 4 to 6 lower-case letters/],
  ["no region", { regions: [] }, /^regions: name at least one region/],
  [
    "a location as the portal writes it",
    { regions: [{ location: "West Europe" }] },
    /^regions\[0\]\.location: write the location as Azure does/,
  ],
  [
    "a location twice",
    twoRegions({}, { location: "westeurope", addressSpace: "10.20.0.0/16" }),
    /^regions\[1\]\.location: westeurope is there already/,
  ],
  [
    "regions that overlap",
    twoRegions({}, {}),
    "regions[1].addressSpace: 10.10.0.0/16 overlaps 10.10.0.0/16 of regions[0].addressSpace; choose a range of its own",
  ],
  [
    "a region inside another",
    twoRegions({ addressSpace: "10.16.0.0/12" }, { addressSpace: "10.20.0.0/16" }),
    /^regions\[1\]\.addressSpace: 10.20.0.0\/16 overlaps 10.16.0.0\/12/,
  ],
  [
    "pods in the region's range",
    { network: { podCidr: "10.10.128.0/17" } },
    /^network\.podCidr: 10.10.128.0\/17 overlaps 10.10.0.0\/16 of regions\[0\]/,
  ],
  [
    "a network without room",
    { regions: [{ location: "westeurope", addressSpace: "10.10.0.0/24" }] },
    /^regions\[0\]\.addressSpace: 10.10.0.0\/24 is too small/,
  ],
  [
    "a range with host bits",
    { network: { serviceCidr: "10.0.0.1/16" } },
    /^network\.serviceCidr: write an IPv4 range with no host bits set/,
  ],
  [
    "several regions and no place for what there is one of",
    { ...twoRegions({}, { addressSpace: "10.20.0.0/16" }), machineLearning: {} },
    /^machineLearning\.location: required with several regions/,
  ],
  [
    "a workspace where no region is",
    { machineLearning: { location: "northeurope" } },
    /^machineLearning\.location: northeurope is not among/,
  ],
  ["no admin", { access: { clusterAdmins: [] } }, /^access\.clusterAdmins: name at least one admin/],
  [
    "an admin by name",
    { access: { clusterAdmins: [{ objectId: "me@example.com" }] } },
    /^access\.clusterAdmins\[0\]\.objectId: write the object id of the Entra principal, a UUID/,
  ],
  [
    "a principal twice",
    { access: { clusterAdmins: [admin, { ...admin, objectId: admin.objectId.toUpperCase() }] } },
    /^access\.clusterAdmins\[1\]\.objectId: .* is there already/,
  ],
  [
    "several slices for one pod",
    {
      cluster: { timeSlicing: 2 },
      ...triton({ resources: { gpus: 2 } }),
      gpuPools: [{ name: "t4", vmSize: "Standard_NC64as_T4_v3" }],
    },
    /^triton\.resources\.gpus: with cluster.timeSlicing a pod gets one slice/,
  ],
  [
    "a system pool of a retired size",
    { cluster: { systemPool: { vmSize: "Standard_NC6" } } },
    /^cluster\.systemPool\.vmSize: Standard_NC6 was retired/,
  ],
  [
    "a user pool with its bounds turned round",
    { cluster: { userPool: { min: 5, max: 2 } } },
    /^cluster\.userPool\.min: 5 is more than max, 2/,
  ],
  [
    "T6: an argument that undoes a typed setting",
    triton({ extraArgs: ["--model-control-mode=poll"] }),
    /^triton\.extraArgs\[0\]: --model-control-mode has a key of its own/,
  ],
  [
    "a number where YAML makes one of a text",
    { triton: { image: { tag: 26.07 } } },
    'triton.image.tag: must be text; write it in quotes: "26.07"',
  ],
  ["a key that every object has", { constructor: {} }, /^constructor: unknown key/],
  [
    "A1: a retired size",
    gpuPool({ vmSize: "Standard_NC6s_v3" }),
    "gpuPools[0].vmSize: Standard_NC6s_v3 was retired on 2025-09-30; use Standard_NC4as_T4_v3",
  ],
  [
    "a mistyped size",
    gpuPool({ vmSize: "Standard_NC4as_T4_v4" }),
    /^gpuPools\[0\]\.vmSize: .*did you mean Standard_NC4as_T4_v3\?/,
  ],
  [
    "a size without GPU",
    gpuPool({ vmSize: "Standard_D4ds_v5" }),
    /^gpuPools\[0\]\.vmSize: Standard_D4ds_v5 is not a known size with NVIDIA GPUs/,
  ],
  [
    "a pool name that AKS refuses",
    { gpuPools: [{ name: "GPU-pool" }] },
    /^gpuPools\[0\]\.name: use up to 8 lower-case letters and digits/,
  ],
  ["a pool name twice", { gpuPools: [{ name: "t4" }, { name: "t4" }] }, /^gpuPools\[1\]\.name: t4 is there already/],
  [
    "A9: bounds without autoscaling",
    gpuPool({ autoscaling: false, count: 12, min: 1 }),
    /^gpuPools\[0\]\.min: only used with autoscaling/,
  ],
  [
    "A9: no count without autoscaling",
    { ...gpuPool({ autoscaling: false }), autoscaling: { min: 1, max: 1 } },
    /^gpuPools\[0\]\.count: required without autoscaling/,
  ],
  ["A9: a count with autoscaling", gpuPool({ count: 3 }), /^gpuPools\[0\]\.count: only used without autoscaling/],
  [
    "MIG on a GPU without MIG",
    gpuPool({ migProfile: "MIG1g" }),
    /^gpuPools\[0\]\.migProfile: Standard_NC4as_T4_v3 has T4 GPUs/,
  ],
  [
    "MIG and time slices",
    { ...gpuPool({ vmSize: "Standard_NC24ads_A100_v4", migProfile: "MIG1g" }), cluster: { timeSlicing: 2 } },
    /^gpuPools\[0\]\.migProfile: MIG and cluster.timeSlicing/,
  ],
  [
    "an ephemeral disk larger than the local one",
    gpuPool({ vmSize: "Standard_NC24ads_A100_v4", osDiskType: "Ephemeral" }),
    /^gpuPools\[0\]\.osDiskType: .*64 GiB, which does not hold 128 GiB/,
  ],
  [
    "a disk without room for the models",
    { ...gpuPool({ osDiskSizeGiB: 50 }), releases: [{ ...release, sizeBytes: 40 * 2 ** 30 }], release: "r1" },
    /^gpuPools\[0\]\.osDiskSizeGiB: 50 GiB do not hold/,
  ],
  [
    "T1: keyless reading with an old image",
    triton({ image: { tag: "26.04-py3" } }),
    /^triton\.image\.tag: 26.04-py3 cannot read Blob Storage without a key; use 26.05-py3 or later/,
  ],
  ["an image that moves", triton({ image: { tag: "latest" } }), /^triton\.image\.tag: pin a release/],
  [
    "T6: polling of Blob Storage",
    triton({ modelControlMode: "poll" }),
    /^triton\.modelControlMode: poll sees no change in Blob Storage/,
  ],
  [
    "a load list that nothing reads",
    triton({ loadModels: ["m"] }),
    /^triton\.loadModels: only used with modelControlMode: explicit/,
  ],
  [
    "a model to load that the release has not",
    { ...triton({ modelControlMode: "explicit", loadModels: ["clasifier"] }), releases: [release], release: "r1" },
    /^triton\.loadModels\[0\]: release r1 has no model clasifier; did you mean classifier\?/,
  ],
  [
    "K4: shared memory that takes all memory",
    triton({ resources: { memory: "4Gi", sharedMemory: "4Gi" } }),
    /^triton\.resources\.sharedMemory: 4Gi counts into the memory limit/,
  ],
  [
    "restricted APIs without a key",
    triton({ restrictedApis: ["model-repository"] }),
    /^triton\.restrictedApis: needs a key/,
  ],
  [
    "a quantity that is none",
    triton({ resources: { memory: "12 GB" } }),
    /^triton\.resources\.memory: write a Kubernetes memory quantity/,
  ],
  [
    "A11: a Kubernetes version out of support",
    { cluster: { kubernetesVersion: "1.29" } },
    /^cluster\.kubernetesVersion: AKS no longer supports 1.29; use 1.35 or 1.36/,
  ],
  [
    "A11: a long-term version without long-term support",
    { cluster: { kubernetesVersion: "1.34" } },
    /^cluster\.kubernetesVersion: 1.34 left standard support/,
  ],
  [
    "a private API server that the runner cannot reach",
    { cluster: { privateApiServer: true } },
    /^access\.runner: cluster.privateApiServer needs `private`/,
  ],
  [
    "a private store that publishers cannot reach",
    { modelStore: { network: "private-endpoint" } },
    /^access\.runner: modelStore.network: private-endpoint needs `private`/,
  ],
  [
    "more replicas than GPUs",
    { gpuPools: [{ name: "t4", max: 4 }] },
    "autoscaling.max: 10 replicas, but the GPU pools hold 4 at most; raise gpuPools[].max or lower this",
  ],
  [
    "a replica that no node can hold",
    triton({ resources: { gpus: 8 } }),
    /^triton\.resources: no GPU pool has a node for one replica/,
  ],
  [
    "a replica with more memory than the node",
    triton({ resources: { memory: "200Gi" } }),
    /^triton\.resources: no GPU pool has a node for one replica/,
  ],
  [
    "fewer than fewest replicas",
    { autoscaling: { min: 5, max: 3 } },
    /^autoscaling\.min: 5 is more than autoscaling.max, 3/,
  ],
  [
    "a release that was never published",
    { release: "r1" },
    /^release: r1 is not in triton-azure:releases; publish it first/,
  ],
  [
    "a mistyped release",
    { releases: [release], release: "r2" },
    /^release: r2 is not in triton-azure:releases; did you mean r1\?/,
  ],
  ["a release twice", { releases: [release, release] }, /^releases\[1\]\.id: r1 is there already/],
  [
    "two models of one name in Azure ML",
    {
      releases: [
        {
          ...release,
          models: [
            { ...release.models[0], name: "a.b" },
            { ...release.models[0], name: "a-b" },
          ],
        },
      ],
    },
    /^releases\[0\]\.models\[1\]\.name: a-b and a.b would have one name in Azure ML/,
  ],
  [
    "a model twice",
    { releases: [{ ...release, models: [release.models[0], release.models[0]] }] },
    /^releases\[0\]\.models\[1\]\.name: classifier is there already/,
  ],
  [
    "two models that differ in letter case, in different releases",
    { releases: [release, { ...release, id: "r2", models: [{ ...release.models[0], name: "Classifier" }] }] },
    /^releases\[1\]\.models\[0\]\.name: Classifier and classifier would have one name in Azure ML/,
  ],
  [
    "a model with the name of the whole repository",
    { releases: [{ ...release, models: [{ ...release.models[0], name: "Triton.Repository" }] }] },
    /^releases\[0\]\.models\[0\]\.name: Triton\.Repository is the name of the whole repository/,
  ],
  [
    "a model of no known kind",
    { releases: [{ ...release, models: [{ name: "m", versions: [1] }] }] },
    /^releases\[0\]\.models\[0\]: name the model's `platform` or its `backend`/,
  ],
  [
    "K1: a start-up budget shorter than loading",
    { ...triton({ startup: { budgetSeconds: 20 } }), releases: [release], release: "r1" },
    /^triton\.startup\.budgetSeconds: 20 s, but loading release r1 takes 33 s/,
  ],
  [
    "a deadline too short for prod",
    triton({ startup: { nodeSeconds: 10 } }),
    /^triton\.startup\.nodeSeconds: 10 s is too short for prod/,
  ],
  ["no uptime agreement in prod", { cluster: { tier: "Free" } }, /^cluster\.tier: Free has no uptime agreement/],
  [
    "a tag that the program sets",
    { tags: { Environment: "x" } },
    /^tags\.Environment: the program sets this tag itself/,
  ],
  ["an unknown key", { gpuPool: [] }, "gpuPool: unknown key; did you mean `gpuPools`?"],
  [
    "an unknown key inside",
    { cluster: { kuberntesVersion: "1.36" } },
    "cluster.kuberntesVersion: unknown key; did you mean `kubernetesVersion`?",
  ],
  [
    "an unknown key deep inside",
    { gpuPools: [{ name: "t4", zone: ["1"] }] },
    "gpuPools[0].zone: unknown key; did you mean `zones`?",
  ],
  ["a value of another kind", { cluster: { zones: "1" } }, /^cluster\.zones: must be a list/],
  [
    "a choice that is none",
    { environment: "production" },
    /^environment: "production" is not one of dev, prod; did you mean prod\?/,
  ],
];

describe("a bad configuration gives one clear error:", () => {
  it.each(table)("%s", (_title, overrides, error) => {
    const errors = errorsWith(overrides);
    expect(errors).toHaveLength(1);
    expect(errors[0]).toMatch(error);
  });

  it("what is required and missing, each with what to give", () => {
    expect(errorsOf({})).toEqual([
      expect.stringMatching(/^suffix: required/),
      expect.stringMatching(/^regions: required/),
      expect.stringMatching(/^access: required/),
    ]);
    expect(errorsOf({ ...minimal, access: {} })).toEqual([expect.stringMatching(/^access\.clusterAdmins: required/)]);
  });
});

describe("several bad inputs", () => {
  const raw = {
    suffix: "X",
    regions: [{ location: "westeurope" }],
    access: { clusterAdmins: [admin], runer: "private" },
    gpuPools: [{ name: "t4", vmSize: "Standard_NC6" }, { name: "waytoolong" }],
    triton: { modelControlMode: "poll", image: { tag: "25.01-py3" } },
    release: "r9",
  };

  it("are all named at once, whichever keys and checks they belong to", () => {
    const keys = errorsOf(raw).map((error) => error.slice(0, error.indexOf(": ")));
    expect(keys.sort()).toEqual(
      [
        "suffix",
        "access.runer",
        "gpuPools[0].vmSize",
        "gpuPools[1].name",
        "triton.image.tag",
        "triton.modelControlMode",
        "release",
      ].sort(),
    );
  });

  it("are one error whose message has a line for each, with the namespace", () => {
    expect(() => loadConfig(raw)).toThrow(ConfigurationError);
    expect(() => loadConfig(raw)).toThrow(
      /has 7 problems:\n(.*\n)* {2}triton-azure:access\.runer: unknown key; did you mean `runner`\?\n/,
    );
  });
});

describe("an admin key", () => {
  it("allows restricted APIs", () => {
    expect(errorsWith(triton({ restrictedApis: ["model-repository"] }), true)).toEqual([]);
  });
});
