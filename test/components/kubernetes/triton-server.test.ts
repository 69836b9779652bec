import { describe, expect, it } from "vitest";
import { roles } from "../../../core/roles";
import { accountKey, containsPlain, input, isSecret, leaks, output, type Run, unknown } from "../../support/engine";
import { helmReleaseOf, runRegion, runTriton, valuesOf } from "./triton-fixture";

const accountKeyMode = { modelStore: { auth: "account-key" } };
const restricted = { triton: { restrictedApis: ["model-repository"] } };
const secretNamed = (run: Run, name: string) => run.one("kubernetes:core/v1:Secret", name);
const credentialOf = (run: Run) => run.one("FederatedIdentityCredential");
const identityOf = (run: Run) => run.one("UserAssignedIdentity", "triton-identity");
const roleOf = (run: Run) => run.one("RoleAssignment", "triton-reader");
const envOf = (run: Run) =>
  Object.fromEntries(
    (valuesOf(run)["env"] as { name: string; value?: string; valueFrom?: object }[]).map((entry) => [
      entry.name,
      entry,
    ]),
  );

describe("TritonServer", () => {
  it("is the parent of all it makes", async () => {
    const run = await runRegion();
    const triton = run.one("triton-azure:index:TritonServer");
    expect(run.childrenOf(triton).map(({ name }) => name)).toEqual(
      expect.arrayContaining([
        "triton-namespace",
        "triton-identity",
        "triton-credential",
        "triton-reader",
        "triton-release",
      ]),
    );
    expect(helmReleaseOf(run).provider).toBe(run.one("Namespace", "triton-namespace").provider);
  });

  it("T2: trusts the pods' service account, character by character", async () => {
    const run = await runRegion();
    const { namespace, values } = helmReleaseOf(run).inputs as {
      namespace: string;
      values: { serviceAccount: { name: string } };
    };
    expect(credentialOf(run).inputs).toMatchObject({
      issuer: output(run.one("ManagedCluster"), "oidcIssuerProfile.issuerURL"),
      subject: `system:serviceaccount:${namespace}:${values.serviceAccount.name}`,
      audiences: ["api://AzureADTokenExchange"],
    });
    expect(credentialOf(run).propertyDependencies["resourceName"]).toEqual([identityOf(run).urn]);
  });

  it("T2: has the pods ask for the identity, with the token of their service account", async () => {
    const run = await runRegion();
    expect(valuesOf(run)).toMatchObject({
      podLabels: { "azure.workload.identity/use": "true" },
      serviceAccount: {
        annotations: { "azure.workload.identity/client-id": output(identityOf(run), "clientId") },
      },
    });
    expect(envOf(run)["AZURE_STORAGE_AUTH_TYPE"]).toEqual({ name: "AZURE_STORAGE_AUTH_TYPE", value: "default" });
    expect(envOf(run)).not.toHaveProperty("AZURE_STORAGE_KEY");
  });

  it("P18: lets the identity read the container of releases, and nothing else", async () => {
    const run = await runRegion();
    const role = roleOf(run);
    expect(role.inputs).toMatchObject({
      principalId: output(identityOf(run), "principalId"),
      principalType: "ServicePrincipal",
    });
    expect(role.propertyDependencies["scope"]).toEqual([run.one("BlobContainer").urn]);
    expect(input(role, "roleDefinitionId")).toContain(roles.storageBlobDataReader);
    expect(run.all("RoleAssignment").filter(({ parent }) => parent === role.parent)).toHaveLength(1);
  });

  it("waits after role and credential until they are in force, and starts pods then", async () => {
    const run = await runRegion();
    for (const right of [roleOf(run), credentialOf(run)]) {
      expect(right.options.hooks?.["afterCreate"]).toHaveLength(1);
      expect(helmReleaseOf(run).dependencies).toContain(right.urn);
    }
  });

  it("P6: comes after GPU pools and device plugin, and so goes before them", async () => {
    const run = await runRegion({ gpuPools: [{ name: "t4" }, { name: "spot", spot: true }] });
    const pools = run.all("AgentPool").filter(({ inputs }) => "gpuProfile" in inputs);
    expect(pools).toHaveLength(2);
    for (const { urn } of [...pools, run.one("DaemonSet")]) expect(helmReleaseOf(run).dependencies).toContain(urn);
  });

  it("T3: takes the account of the URL and the one of the signature from the same output", async () => {
    for (const keys of [{}, accountKeyMode]) {
      const run = await runRegion(keys);
      const account = output<string>(run.one("StorageAccount"), "name");
      expect(input(helmReleaseOf(run), "values.modelRepository.url")).toBe(
        `as://${account}/model-repository/releases/r2`,
      );
      expect(envOf(run)["AZURE_STORAGE_ACCOUNT"]?.value).toBe(account);
    }
  });

  it("gives out where it serves", async () => {
    const run = await runRegion();
    expect(run.outputs).toEqual({
      namespace: "triton",
      deploymentName: "triton",
      serviceName: "triton",
      httpEndpoint: "triton.triton.svc.cluster.local:8000",
      grpcEndpoint: "triton.triton.svc.cluster.local:8001",
    });
  });

  it("is known in a preview but for what Azure makes up", async () => {
    const { env, modelRepository, serviceAccount, ...rest } = valuesOf(await runRegion({}, { dryRun: true }));
    expect(JSON.stringify(rest)).not.toContain(JSON.stringify(unknown));
    expect(serviceAccount).toEqual({
      name: "triton",
      annotations: { "azure.workload.identity/client-id": unknown },
    });
    // Names of Azure's resources are outputs.
    expect(env).toContainEqual({ name: "AZURE_STORAGE_ACCOUNT", value: unknown });
    expect(modelRepository).toMatchObject({ url: unknown });
  });
});

describe("TritonServer with an account key", () => {
  it("P7: keeps the key in a Secret, and nowhere else", async () => {
    const run = await runRegion(accountKeyMode);
    const secret = secretNamed(run, "triton-storage-key");
    expect(input(secret, "stringData.key")).toBe(accountKey);
    expect(isSecret(secret, "stringData.key")).toBe(true);
    expect(leaks(run, accountKey)).toEqual([]);
    expect(JSON.stringify(valuesOf(run))).not.toContain(accountKey);
  });

  it("has the pods take the key from that Secret, without any identity", async () => {
    const run = await runRegion(accountKeyMode);
    const name = output(secretNamed(run, "triton-storage-key"), "metadata.name");
    expect(envOf(run)["AZURE_STORAGE_KEY"]).toEqual({
      name: "AZURE_STORAGE_KEY",
      valueFrom: { secretKeyRef: { name, key: "key" } },
    });
    expect(envOf(run)).not.toHaveProperty("AZURE_STORAGE_AUTH_TYPE");
    expect(valuesOf(run)["podLabels"]).toEqual({});
    expect(run.all("FederatedIdentityCredential")).toEqual([]);
  });

  it("makes another Secret for another key, so that the pods get it", async () => {
    const run = await runRegion(accountKeyMode);
    const { metadata, immutable } = secretNamed(run, "triton-storage-key").inputs as {
      metadata: object;
      immutable: boolean;
    };
    expect(metadata).not.toHaveProperty("name");
    expect(immutable).toBe(true);
    expect(helmReleaseOf(run).dependencies).toContain(secretNamed(run, "triton-storage-key").urn);
  });
});

describe("TritonServer with restricted APIs", () => {
  it("takes their key from a Secret, which nothing else holds", async () => {
    const run = await runTriton(restricted, { adminKey: "sentinel-admin-key" });
    const secret = secretNamed(run, "triton-admin-key");
    expect(isSecret(secret, "stringData.key")).toBe(true);
    expect(input(secret, "stringData.key")).toBe("sentinel-admin-key");
    expect(containsPlain(run, "sentinel-admin-key")).toBe(false);
    expect(input(helmReleaseOf(run), "values.triton.restrictedApis")).toEqual({
      apis: ["model-repository"],
      secretName: output(secret, "metadata.name"),
      secretKey: "key",
    });
  });

  it("makes no Secret when no API is restricted", async () => {
    const run = await runTriton({}, { adminKey: "unused" });
    expect(run.all("kubernetes:core/v1:Secret")).toEqual([]);
  });

  it("refuses to go without a key", async () => {
    await expect(runTriton(restricted)).rejects.toThrow("triton: triton.restrictedApis needs the key adminKey");
  });
});

describe("Triton's Helm release", () => {
  it("P8: names the chart by a relative path, and itself by a name", async () => {
    const run = await runTriton();
    expect(helmReleaseOf(run).inputs).toMatchObject({ chart: "./charts/triton", name: "triton", namespace: "triton" });
  });

  it("keeps the evidence of a failure, and waits for its pods", async () => {
    const run = await runTriton();
    expect(helmReleaseOf(run).inputs).toMatchObject({ atomic: false, skipAwait: false });
    expect(helmReleaseOf(run).inputs).not.toHaveProperty("cleanupOnFail");
  });

  it("looks at the cluster before, after, and when something fails", async () => {
    const run = await runTriton();
    expect(helmReleaseOf(run).options.hooks).toEqual({
      beforeCreate: [expect.any(String)],
      beforeUpdate: [expect.any(String)],
      afterCreate: [expect.any(String)],
      afterUpdate: [expect.any(String)],
      onError: ["triton-diagnosis"],
    });
  });

  it("P10: gives Helm the time for nodes, images and start-up in each wave", async () => {
    const startup = { nodeSeconds: 600, pullSeconds: 480 };
    for (const [keys, waves] of [
      [{ gpuPools: [{ name: "t4", max: 2 }], autoscaling: { max: 2 } }, 2],
      [{ gpuPools: [{ name: "t4", max: 3 }], autoscaling: { max: 2 } }, 2],
      [{ gpuPools: [{ name: "t4", max: 8 }], autoscaling: { max: 4 } }, 4],
      [{ gpuPools: [{ name: "t4", max: 12 }], autoscaling: { max: 10 } }, 5],
    ] as const) {
      const run = await runTriton({ ...keys, triton: { startup } });
      const { startup: probe, rollout } = valuesOf(run) as {
        startup: { budgetSeconds: number };
        rollout: { progressDeadlineSeconds: number };
      };
      const wave = 600 + 480 + probe.budgetSeconds;
      expect(rollout.progressDeadlineSeconds).toBe(wave);
      expect(input(helmReleaseOf(run), "timeout")).toBe(waves * wave + 60);
    }
  });
});
