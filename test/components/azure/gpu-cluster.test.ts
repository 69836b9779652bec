import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { GpuCluster } from "../../../components/azure/gpu-cluster";
import { roles } from "../../../core/roles";
import { azureStandIn, input, isSecret, leaks, type Run, runProgram, unknown } from "../../support/engine";
import { valueOf } from "../../support/outputs";
import { admin, clusterArgs, configWith, runCluster } from "./cluster-fixture";

const clusterOf = (run: Run) => run.one("ManagedCluster");
const userPoolOf = (run: Run) =>
  run.one("AgentPool", run.all("AgentPool").find(({ name }) => name.startsWith("cluster-user"))?.name);

describe("GpuCluster", () => {
  it("lets identities alone in: Entra ID with Azure RBAC, no local accounts, workload identity", async () => {
    const run = await runCluster();
    expect(clusterOf(run).inputs).toMatchObject({
      enableRBAC: true,
      aadProfile: { managed: true, enableAzureRBAC: true },
      disableLocalAccounts: true,
      oidcIssuerProfile: { enabled: true },
      securityProfile: { workloadIdentity: { enabled: true }, imageCleaner: { enabled: true } },
      identity: { type: "UserAssigned" },
      addonProfiles: { azurepolicy: { enabled: true } },
      workloadAutoScalerProfile: { keda: { enabled: true } },
    });
  });

  it("A12: uses Azure CNI in overlay mode with Cilium, and the tenth address of the service range for DNS", async () => {
    const run = await runCluster({ network: { serviceCidr: "172.20.0.0/16", podCidr: "172.21.0.0/16" } });
    expect(input(clusterOf(run), "networkProfile")).toMatchObject({
      networkPlugin: "azure",
      networkPluginMode: "overlay",
      networkDataplane: "cilium",
      networkPolicy: "cilium",
      podCidr: "172.21.0.0/16",
      serviceCidr: "172.20.0.0/16",
      dnsServiceIP: "172.20.0.10",
      outboundType: "loadBalancer",
    });
  });

  it("goes out by the subnet's NAT gateway when the network has one", async () => {
    const run = await runCluster({ network: { outbound: "natGateway" } });
    expect(input(clusterOf(run), "networkProfile.outboundType")).toBe("userAssignedNATGateway");
  });

  it("gives the cluster's identity its right on the network before the cluster is made", async () => {
    const run = await runCluster();
    const right = run.one("RoleAssignment", "cluster-network-contributor");
    expect(input(right, "roleDefinitionId")).toContain(roles.networkContributor);
    expect(input(right, "principalType")).toBe("ServicePrincipal");
    expect(right.propertyDependencies["principalId"]).toEqual([run.one("UserAssignedIdentity").urn]);
    expect(clusterOf(run).dependencies).toContain(right.urn);
  });

  it("makes each admin cluster admin on the cluster, and the Kubernetes provider waits for it", async () => {
    const second = "22222222-2222-4222-8222-222222222222";
    const clusterAdmins = [{ objectId: admin }, { objectId: second, type: "ServicePrincipal" }];
    const run = await runCluster({ access: { clusterAdmins } });
    for (const [objectId, type] of [
      [admin, "Group"],
      [second, "ServicePrincipal"],
    ]) {
      const right = run.one("RoleAssignment", `cluster-admin-${objectId}`);
      expect(right.inputs).toMatchObject({ principalId: objectId, principalType: type });
      expect(input(right, "roleDefinitionId")).toContain(roles.aksRbacClusterAdmin);
      expect(right.propertyDependencies["scope"]).toEqual([clusterOf(run).urn]);
      expect(run.one("pulumi:providers:kubernetes").dependencies).toContain(right.urn);
    }
  });

  it("names admins by their id, so that their order means nothing", async () => {
    const run = await runCluster();
    expect(run.all("RoleAssignment").map(({ name }) => name)).toEqual(
      expect.arrayContaining([`cluster-admin-${admin}`]),
    );
  });

  it("P13: has one inline pool, tainted for add-ons, and ignores no more of it than its count", async () => {
    const run = await runCluster();
    const cluster = clusterOf(run);
    expect(input<unknown[]>(cluster, "agentPoolProfiles")).toHaveLength(1);
    expect(input(cluster, "agentPoolProfiles[0]")).toMatchObject({
      name: "system",
      mode: "System",
      nodeTaints: ["CriticalAddonsOnly=true:NoSchedule"],
      enableAutoScaling: true,
      count: 2,
      minCount: 2,
      maxCount: 4,
      availabilityZones: ["1", "2", "3"],
      osDiskType: "Ephemeral",
    });
    expect(cluster.options.ignoreChanges).toEqual(["agentPoolProfiles[0].count"]);
  });

  it.each([
    ["none", "1.36", false],
    ["patch", "1.36", false],
    ["patch", "1.36.1", true],
    ["stable", "1.36", true],
  ])("P14: under channel %s ignores changes of version %s: %s", async (upgradeChannel, kubernetesVersion, ignored) => {
    const run = await runCluster({ cluster: { upgradeChannel, kubernetesVersion } });
    expect(clusterOf(run).options.ignoreChanges?.includes("kubernetesVersion")).toBe(ignored);
    expect(input(clusterOf(run), "autoUpgradeProfile.upgradeChannel")).toBe(upgradeChannel);
  });

  it("gives pools the control plane's version only while no channel moves both", async () => {
    const manual = await runCluster({ cluster: { upgradeChannel: "none" } });
    for (const pool of manual.all("AgentPool")) {
      expect(pool.propertyDependencies["orchestratorVersion"]).toEqual([clusterOf(manual).urn]);
    }
    const automatic = await runCluster({ cluster: { upgradeChannel: "patch" } });
    for (const pool of automatic.all("AgentPool")) expect(pool.inputs).not.toHaveProperty("orchestratorVersion");
  });

  it("A15: upgrades node images, and all of it in the maintenance window", async () => {
    const maintenance = { dayOfWeek: "Saturday", startTime: "03:00", utcOffset: "+01:00", durationHours: 5 };
    const run = await runCluster({ cluster: { maintenance } });
    expect(input(clusterOf(run), "autoUpgradeProfile.nodeOSUpgradeChannel")).toBe("NodeImage");
    const windows = run.all("MaintenanceConfiguration");
    expect(windows.map((window) => input(window, "configName")).sort()).toEqual([
      "aksManagedAutoUpgradeSchedule",
      "aksManagedNodeOSUpgradeSchedule",
    ]);
    for (const window of windows) {
      expect(input(window, "maintenanceWindow")).toEqual({
        startTime: "03:00",
        utcOffset: "+01:00",
        durationHours: 5,
        schedule: { weekly: { dayOfWeek: "Saturday", intervalWeeks: 1 } },
      });
    }
  });

  it("A10: has a pool without taints, where what tolerates nothing finds a home", async () => {
    const run = await runCluster();
    const pool = userPoolOf(run);
    expect(pool.inputs).toMatchObject({ mode: "User", enableAutoScaling: true, count: 1, minCount: 1, maxCount: 4 });
    expect(pool.inputs).not.toHaveProperty("nodeTaints");
    expect(pool.options.ignoreChanges).toEqual(["count"]);
  });

  it("names the user pool by what cannot change: another size is another pool, other bounds are the same", async () => {
    const nameWith = async (userPool: object) =>
      input<string>(userPoolOf(await runCluster({ cluster: { userPool } })), "agentPoolName");
    const usual = await nameWith({});
    expect(usual).toMatch(/^user[0-9a-f]{4}$/);
    expect(await nameWith({ min: 2, max: 9 })).toBe(usual);
    expect(await nameWith({ vmSize: "Standard_D8ds_v5" })).not.toBe(usual);
  });

  it("puts the OS on the local disk only where it has room", async () => {
    const run = await runCluster({
      cluster: { userPool: { vmSize: "Standard_D2ds_v5" }, systemPool: { vmSize: "Standard_D8s_v5" } },
    });
    expect(input(userPoolOf(run), "osDiskType")).toBe("Managed");
    expect(input(clusterOf(run), "agentPoolProfiles[0].osDiskType")).toBe("Managed");
  });

  it("leaves zones out where the location has none", async () => {
    const run = await runCluster({ cluster: { zones: [] } });
    expect(input(clusterOf(run), "agentPoolProfiles[0]")).not.toHaveProperty("availabilityZones");
    expect(userPoolOf(run).inputs).not.toHaveProperty("availabilityZones");
  });

  it("opens the API server to all, to some addresses or to the network only, and never runs commands for ARM", async () => {
    const apiServer = async (keys: Record<string, unknown>, overrides = {}) =>
      input(clusterOf(await runCluster(keys, overrides)), "apiServerAccessProfile");
    expect(await apiServer({})).toEqual({ disableRunCommand: true });
    const cluster = { authorizedIpRanges: ["203.0.113.7", "198.51.100.0/24"] };
    expect(await apiServer({ cluster }, { outboundAddress: "192.0.2.1" })).toEqual({
      disableRunCommand: true,
      authorizedIPRanges: ["203.0.113.7/32", "198.51.100.0/24", "192.0.2.1/32"],
    });
    const access = { clusterAdmins: [{ objectId: admin }], runner: "private" };
    expect(await apiServer({ cluster: { privateApiServer: true }, access })).toEqual({
      disableRunCommand: true,
      enablePrivateCluster: true,
      enablePrivateClusterPublicFQDN: false,
      privateDNSZone: "system",
    });
  });

  it("A11: asks for long-term support with tier Premium only", async () => {
    const plan = async (tier: string) => input(clusterOf(await runCluster({ cluster: { tier } })), "supportPlan");
    expect(await plan("Premium")).toBe("AKSLongTermSupport");
    expect(await plan("Standard")).toBe("KubernetesOfficial");
  });

  it("lets an idle GPU node go although its pods had models on its disk", async () => {
    const run = await runCluster();
    expect(input(clusterOf(run), "autoScalerProfile")).toEqual({
      expander: "least-waste",
      skipNodesWithLocalStorage: "false",
    });
    expect(run.all("ConfigMap")).toEqual([]);
  });

  it("fills spot pools first where both kinds stand side by side", async () => {
    const gpuPools = [
      { name: "t4" },
      { name: "t4spot", spot: true },
      { name: "a100", vmSize: "Standard_NC24ads_A100_v4" },
    ];
    const run = await runCluster({ gpuPools });
    expect(input(clusterOf(run), "autoScalerProfile.expander")).toBe("priority");
    const configMap = run.one("ConfigMap", "cluster-priority-expander");
    expect(input(configMap, "metadata")).toMatchObject({
      name: "cluster-autoscaler-priority-expander",
      namespace: "kube-system",
    });
    const priorities = parse(input(configMap, "data.priorities")) as Record<string, string[]>;

    const rank = (scaleSet: string) =>
      Object.keys(priorities).filter((key) => priorities[key]?.some((pattern) => new RegExp(pattern).test(scaleSet)));
    const scaleSet = (prefix: string) => {
      const names = run.all("AgentPool").map((pool) => input<string>(pool, "agentPoolName"));
      return `aks-${names.find((name) => name.startsWith(prefix) && name.length === prefix.length + 4)}-12345678-vmss`;
    };
    expect(rank(scaleSet("t4spot"))).toEqual(["50"]);
    expect(rank(scaleSet("t4"))).toEqual(["10"]);
    expect(rank(scaleSet("a100"))).toEqual(["10"]);
    expect(rank(scaleSet("user"))).toEqual([]);
  });

  it.each([true, false])("needs no order among pools that are all spot or all not: %s", async (spot) => {
    const run = await runCluster({
      gpuPools: [
        { name: "a", spot },
        { name: "b", spot },
      ],
    });
    expect(input(clusterOf(run), "autoScalerProfile.expander")).toBe("least-waste");
  });

  it("is protected in production", async () => {
    expect(clusterOf(await runCluster()).options.protect).toBe(false);
    expect(clusterOf(await runCluster({}, { protect: true })).options.protect).toBe(true);
  });

  it("tags and places what it makes, and keeps node resources under AKS's own hand", async () => {
    const run = await runCluster();
    expect(clusterOf(run).inputs).toMatchObject({
      location: "westeurope",
      tags: { project: "triton-azure" },
      nodeResourceGroupProfile: { restrictionLevel: "ReadOnly" },
    });
    expect(input(clusterOf(run), "nodeResourceGroup")).not.toBe(input(clusterOf(run), "resourceGroupName"));
  });

  it("has all it makes as its children", async () => {
    const run = await runCluster();
    const component = run.one("triton-azure:index:GpuCluster");
    const types = [
      "ManagedCluster",
      "UserAssignedIdentity",
      "RoleAssignment",
      "MaintenanceConfiguration",
      "pulumi:providers:kubernetes",
    ];
    for (const resource of types.flatMap((type) => run.all(type))) expect(resource.parent).toBe(component.urn);
  });
});

describe("GpuCluster's Kubernetes provider", () => {
  const providerOf = (run: Run) => run.one("pulumi:providers:kubernetes");

  it("P2, P7: has a secret kubeconfig that never asks for a device login", async () => {
    const run = await runCluster({}, { login: "workloadidentity" });
    expect(isSecret(providerOf(run), "kubeconfig")).toBe(true);
    const kubeconfig = input<string>(providerOf(run), "kubeconfig");
    expect(kubeconfig).toContain("workloadidentity");
    expect(kubeconfig).not.toContain("devicecode");
    // Pulumi's own debug messages, which show with `--debug` only, hold every answer of its engine.
    const shown = leaks(run, "c3RhbmQtaW4gY2VydGlmaWNhdGU=").filter((place) => place !== "message (debug)");
    expect(shown).toEqual([]);
  });

  it("P3: asks for credentials of users in the format exec, never for those of admins", async () => {
    const run = await runCluster();
    const tokens = run.invocations.map(({ token }) => token);
    expect(tokens).toContain("azure-native:containerservice:listManagedClusterUserCredentials");
    expect(tokens.join()).not.toContain("Admin");
    expect(run.invocations.map(({ args }) => args)).toContainEqual(expect.objectContaining({ format: "exec" }));
  });

  it("P4: has the same kubeconfig whatever else of the cluster changes", async () => {
    const kubeconfigWith = async (overrides: object) =>
      input(providerOf(await runCluster({}, overrides)), "kubeconfig");
    expect(await kubeconfigWith({ tags: { other: "tag" } })).toBe(await kubeconfigWith({}));
  });

  it("P6: comes after the user pool, so that what runs there goes before it", async () => {
    const run = await runCluster();
    expect(providerOf(run).dependencies).toContain(userPoolOf(run).urn);
    expect(providerOf(run).dependencies).toContain(clusterOf(run).urn);
  });

  it("applies on the server's side and keeps objects of a cluster it cannot reach", async () => {
    const run = await runCluster();
    expect(input(providerOf(run), "enableServerSideApply")).toBe("true");
    expect(providerOf(run).inputs).not.toHaveProperty("deleteUnreachable");
  });

  it("P1: previews a cluster that is not there yet, and is the only Kubernetes provider", async () => {
    const run = await runCluster({ gpuPools: [{ name: "t4" }, { name: "spot", spot: true }] }, {}, { dryRun: true });
    expect(input(providerOf(run), "kubeconfig")).toEqual(unknown);
    expect(run.all("pulumi:providers:kubernetes")).toHaveLength(1);
    const objects = run.resources.filter(({ type }) => type.startsWith("kubernetes:"));
    expect(objects.length).toBeGreaterThan(2);
    for (const object of objects) expect(object.provider).toContain(providerOf(run).urn);
  });

  it("says what is missing when AKS gives no kubeconfig", async () => {
    const standIn = { ...azureStandIn, invoke: () => ({ kubeconfigs: [] }) };
    const program = () => valueOf(new GpuCluster("cluster", clusterArgs(configWith())).kubeconfig);
    await expect(runProgram(program, { standIn })).rejects.toThrow("AKS gave no kubeconfig for users");
  }, 60_000);
});
