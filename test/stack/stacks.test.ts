import { beforeAll, describe, expect, it } from "vitest";
import { azureStandIn, leaks, type Resource, type Run, runStack } from "../support/engine";
import { ancestors, configOf, providerUrn, run } from "./support";

const kubernetes = (all: Run): Resource[] => all.resources.filter(({ type }) => type.startsWith("kubernetes:"));

describe("the dev stack", () => {
  let dev: Run;
  beforeAll(async () => {
    dev = await run("dev", {}, { dryRun: false });
  });

  it("deploys one region with Triton, and what there is one of", () => {
    expect(dev.exitCode).toBe(0);
    expect(dev.all("triton-azure:index:Region").map(({ name }) => name)).toEqual(["region-westeurope"]);
    for (const type of [
      "Network",
      "ModelStore",
      "GpuCluster",
      "GpuNodePool",
      "DevicePlugin",
      "TritonServer",
      "TritonAutoscaler",
      "Registry",
      "MlWorkspace",
    ]) {
      expect(dev.all(`triton-azure:index:${type}`), type).toHaveLength(1);
    }
  });

  it("warns of its example values, and of nothing else", () => {
    expect(dev.messages("warning")).toHaveLength(2);
    for (const message of dev.messages("warning")) expect(message).toMatch(/triton-azure:(suffix|access).*example/);
  });

  it("protects nothing: it can be thrown away", () => {
    expect(dev.resources.filter(({ options }) => options.protect === true)).toEqual([]);
  });

  it("P1: reaches its cluster through a provider of its own, never through a machine's own kubeconfig", () => {
    const own = dev.one("pulumi:providers:kubernetes");
    expect(kubernetes(dev).length).toBeGreaterThan(4);
    for (const { provider, name } of kubernetes(dev)) expect(providerUrn(provider), name).toBe(own.urn);
  });

  it("gives rights before it asks for what needs them: admin before objects, reading before Triton", () => {
    const release = dev.one("kubernetes:helm.sh/v3:Release");
    const before = [...ancestors(dev, release)].map((urn) => dev.byUrn(urn).name);
    expect(before).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/^cluster-westeurope-admin-/),
        "triton-westeurope-reader",
        "triton-westeurope-credential",
        expect.stringMatching(/^pool-westeurope-t4-/),
        "device-plugin-westeurope-daemonset",
      ]),
    );
  });

  it("P18: assigns each role once, to principals of a named kind, under a name that does not change", () => {
    const assignments = dev.all("RoleAssignment");
    const triples = assignments.map(({ inputs }) =>
      JSON.stringify([inputs["principalId"], inputs["roleDefinitionId"], inputs["scope"]]),
    );
    expect(new Set(triples).size).toBe(assignments.length);
    for (const { inputs, name } of assignments) {
      expect(["ServicePrincipal", "Group", "User"], name).toContain(inputs["principalType"]);
      expect(inputs["roleAssignmentName"], name).toMatch(/^[0-9a-f-]{36}$/);
    }
  });

  it("M2: puts the suffix into every name that is unique worldwide or outlives its resource", () => {
    const names = [
      ...dev.all("StorageAccount").map(({ inputs }) => inputs["accountName"]),
      ...dev.all("keyvault:Vault").map(({ inputs }) => inputs["vaultName"]),
      ...dev.all("containerregistry:Registry").map(({ inputs }) => inputs["registryName"]),
      ...dev.all("machinelearningservices:Workspace").map(({ inputs }) => inputs["workspaceName"]),
      ...dev.all("ManagedCluster").map(({ inputs }) => inputs["dnsPrefix"]),
    ];
    expect(names).toHaveLength(6);
    for (const name of names) expect(name).toMatch(/exmpl$/);
  });

  it("tags everything that takes tags", () => {
    const taggable = [
      "ResourceGroup",
      "StorageAccount",
      "ManagedCluster",
      "AgentPool",
      "VirtualNetwork",
      "UserAssignedIdentity",
      "containerregistry:Registry",
      "keyvault:Vault",
    ];
    for (const resource of taggable.flatMap((type) => dev.all(type))) {
      expect(resource.inputs["tags"], resource.name).toMatchObject({
        project: "triton-azure",
        stack: "dev",
        environment: "dev",
        "managed-by": "pulumi",
      });
    }
  });

  it("C-none: takes key access from the model store and gives Triton no key", () => {
    for (const account of dev.all("StorageAccount"))
      expect(account.inputs["allowSharedKeyAccess"], account.name).toBe(false);
    expect(dev.all("kubernetes:core/v1:Secret")).toEqual([]);
    expect(dev.invocations.filter(({ token }) => token.includes("listStorageAccountKeys"))).toEqual([]);
  });

  it("says how to reach Triton", () => {
    expect(dev.outputs["nextStep"]).toContain("kubectl --namespace triton port-forward service/triton 8000");
  });
});

describe("the prod stack", () => {
  let prod: Run;
  beforeAll(async () => {
    prod = await run("prod");
  });

  it("deploys two regions that share no more than the registry and the workspace", () => {
    expect(prod.exitCode).toBe(0);
    expect(prod.all("triton-azure:index:Region")).toHaveLength(2);
    const within = (location: string) =>
      prod.resources.filter(({ name }) => name.includes(location)).map(({ urn }) => urn);
    for (const resource of prod.resources.filter(
      ({ name }) => name.includes("northeurope") && !name.startsWith("registry"),
    )) {
      for (const urn of resource.dependencies)
        expect(within("westeurope"), `${resource.name} depends on`).not.toContain(urn);
    }
  });

  it("protects what holds data, and the clusters", () => {
    const kept = prod.resources
      .filter(({ options }) => options.protect === true)
      .map(({ type }) => type.split(":").at(-1));
    expect(new Set(kept)).toEqual(
      new Set(["ResourceGroup", "StorageAccount", "BlobContainer", "ManagedCluster", "Vault", "Workspace", "Registry"]),
    );
  });

  it("keeps what holds data when it is destroyed, with the group that it would go with", () => {
    const kept = prod.resources
      .filter(({ options }) => options.retainOnDelete === true)
      .map(({ type }) => type.split(":").at(-1));
    expect(new Set(kept)).toEqual(
      new Set(["ResourceGroup", "StorageAccount", "BlobContainer", "Vault", "Workspace", "Registry"]),
    );
    for (const { name, options } of prod.all("azure-native:resources:ResourceGroup")) {
      expect(options.retainOnDelete, name).toBe(true);
    }
  });

  it("gives the other region its own provider", () => {
    const providers = new Set(kubernetes(prod).map(({ provider }) => providerUrn(provider)));
    expect(providers.size).toBe(2);
    for (const { name, provider } of kubernetes(prod)) {
      const location = name.includes("northeurope") ? "northeurope" : "westeurope";
      expect(provider).toContain(`cluster-${location}-kubernetes`);
    }
  });

  it("names nothing by position: the order of regions means nothing", async () => {
    const { regions } = configOf("prod") as { regions: unknown[] };
    const turned = await run("prod", { regions: [...regions].reverse() });
    const picture = ({ resources }: Run) =>
      resources.map(({ urn, inputs }) => [urn, inputs] as const).sort(([a], [b]) => (a < b ? -1 : 1));
    expect(picture(turned)).toEqual(picture(prod));
  });
});

describe("order of life", () => {
  it("without a release deploys everything but Triton, and says how to publish one", async () => {
    const first = await run("dev", { releases: undefined, release: undefined }, { dryRun: false });
    expect(first.exitCode).toBe(0);
    expect(first.all("TritonServer")).toEqual([]);
    expect(first.all("TritonAutoscaler")).toEqual([]);
    expect(first.all("GpuNodePool")).toHaveLength(1);
    expect(first.outputs["nextStep"]).toMatch(
      /^az storage blob upload-batch --auth-mode login --account-name modelsdevwesteuropeexmpl .*\n.*\npulumi up$/,
    );
  });

  it("with a release recorded but none named asks to name one", async () => {
    const second = await run("dev", { release: undefined }, { dryRun: false });
    expect(second.all("TritonServer")).toEqual([]);
    expect(second.outputs["nextStep"]).toContain("name one of examples in triton-azure:release of Pulumi.dev.yaml");
  });

  it("leaves Triton out of a region whose account does not hold the release yet", async () => {
    const regions = [
      { location: "westeurope", addressSpace: "10.10.0.0/16" },
      { location: "northeurope", addressSpace: "10.20.0.0/16", serving: false },
    ];
    const { all } = await run("prod", { regions }).then((result) => ({ all: (type: string) => result.all(type) }));
    expect(all("TritonServer").map(({ name }) => name)).toEqual(["triton-westeurope"]);
    expect(all("GpuCluster")).toHaveLength(2);
  });

  it("rolling back is naming the former release: nothing but Triton's Helm release changes", async () => {
    const { releases } = configOf("dev") as { releases: Record<string, unknown>[] };
    const both = [...releases, { ...releases[0], id: "r2" }];
    const [one, two] = await Promise.all([
      run("dev", { releases: both }),
      run("dev", { releases: both, release: "r2" }),
    ]);
    expect(one.resources.map(({ urn }) => urn)).toEqual(two.resources.map(({ urn }) => urn));
    const changed = one.resources.filter(
      ({ urn, inputs }) => JSON.stringify(two.byUrn(urn).inputs) !== JSON.stringify(inputs),
    );
    expect(changed.map(({ type }) => type)).toEqual(["kubernetes:helm.sh/v3:Release"]);
  });
});

describe("changes", () => {
  it("P4: a tag touches tags alone, and no object in the cluster", async () => {
    const [before, after] = await Promise.all([run("dev"), run("dev", { tags: { owner: "me" } })]);
    expect(after.resources.map(({ urn }) => urn)).toEqual(before.resources.map(({ urn }) => urn));
    for (const { urn, inputs, type } of after.resources) {
      const { tags: _, ...rest } = inputs;
      const { tags: __, ...restBefore } = before.byUrn(urn).inputs;
      expect(rest, urn).toEqual(restBefore);
      if (type.startsWith("kubernetes:")) expect(inputs).toEqual(before.byUrn(urn).inputs);
    }
  });

  it("another VM size makes another pool beside the old one, and replaces nothing else", async () => {
    const [before, after] = await Promise.all([
      run("dev"),
      run("dev", { gpuPools: [{ name: "t4", vmSize: "Standard_NC8as_T4_v3" }] }),
    ]);
    const names = (all: Run) => new Set(all.resources.map(({ urn }) => urn));
    const gone = [...names(before)].filter((urn) => !names(after).has(urn));
    const come = [...names(after)].filter((urn) => !names(before).has(urn));
    expect(gone.map((urn) => before.byUrn(urn).type)).toEqual(["azure-native:containerservice:AgentPool"]);
    expect(come.map((urn) => after.byUrn(urn).type)).toEqual(["azure-native:containerservice:AgentPool"]);
    const poolName = (urns: string[], all: Run) => urns.map((urn) => all.byUrn(urn).inputs["agentPoolName"]);
    expect(poolName(gone, before)).not.toEqual(poolName(come, after));
  });
});

describe("secrets", () => {
  const sentinel = "c2VudGluZWwta2V5LXRoYXQtbXVzdC1ub3Qtc2hvdw";

  it("P7: neither the account key nor the admin key shows anywhere outside of secrets", async () => {
    const changes = {
      modelStore: { auth: "account-key" },
      triton: { restrictedApis: ["model-repository"] },
      adminKey: sentinel,
    };
    const standIn = {
      ...azureStandIn,
      invoke: (token: string, args: Parameters<typeof azureStandIn.invoke>[1]) =>
        token.endsWith("listStorageAccountKeys")
          ? { keys: [{ keyName: "key1", value: `${sentinel}-account` }] }
          : azureStandIn.invoke(token, args),
    };
    const all = await run("dev", changes, { dryRun: false, secrets: ["adminKey"], standIn });
    expect(all.exitCode).toBe(0);
    expect(all.all("kubernetes:core/v1:Secret")).toHaveLength(2);
    expect(JSON.stringify(all.all("kubernetes:core/v1:Secret").map(({ inputs }) => inputs))).toContain(
      `${sentinel}-account`,
    );
    expect(leaks(all, sentinel)).toEqual([]);
  });
});

describe("a configuration that is wrong", () => {
  it("ends the program before any resource, with all problems and no stack trace", async () => {
    const config = configOf("dev", { suffix: "X", gpuPools: [{ name: "t4", vmSize: "Standard_NC6s_v3" }] });
    const bad = await runStack({ stack: "dev", config });
    expect(bad.exitCode).not.toBe(0);
    expect(bad.resources.filter(({ custom }) => custom)).toEqual([]);
    const said = [...bad.messages("error"), bad.stderr].join("\n");
    expect(said).toContain("triton-azure:suffix: use 4 to 6 lower-case letters and digits");
    expect(said).toContain("triton-azure:gpuPools[0].vmSize: Standard_NC6s_v3 was retired on 2025-09-30");
    expect(said).not.toMatch(/\n\s+at /);
  });
});
