import * as authorization from "@pulumi/azure-native/authorization";
import * as containerservice from "@pulumi/azure-native/containerservice";
import * as managedidentity from "@pulumi/azure-native/managedidentity";
import * as resources from "@pulumi/azure-native/resources";
import * as storage from "@pulumi/azure-native/storage";
import * as k8s from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import { describe, expect, it } from "vitest";
import {
  accountKey,
  azureStandIn,
  input,
  isSecret,
  isSecretOutput,
  output,
  runProgram,
  unknown,
} from "../../support/engine";
import { valueOf } from "../../support/outputs";

const sku = { name: "Standard_LRS" };
const accountArgs = { resourceGroupName: "rg-models", accountName: "models1", kind: "StorageV2", sku };

class Store extends pulumi.ComponentResource {
  public readonly account: storage.StorageAccount;
  constructor(name: string, opts?: pulumi.ComponentResourceOptions) {
    super("test:index:Store", name, { size: 3 }, opts);
    this.account = new storage.StorageAccount(`${name}-account`, accountArgs, { parent: this });
    this.registerOutputs({ accountId: this.account.id });
  }
}

describe("resources", () => {
  it("carry the types of their parents in their URNs, but not that of the stack", async () => {
    const run = await runProgram(() => {
      const store = new Store("a");
      new storage.BlobContainer("box", { ...accountArgs, containerName: "box" }, { parent: store.account });
    });
    expect(run.one("BlobContainer").urn).toBe(
      "urn:pulumi:dev::triton-azure::test:index:Store$azure-native:storage:StorageAccount$azure-native:storage:BlobContainer::box",
    );
    expect(run.one("BlobContainer").parent).toBe(run.one("StorageAccount").urn);
    expect(run.one("test:index:Store").parent).toBe(run.one("pulumi:pulumi:Stack").urn);
    expect(run.one("pulumi:pulumi:Stack")).toMatchObject({ parent: "", name: "triton-azure-dev" });
  });

  it("may not share a URN", async () => {
    const twice = () => {
      new storage.StorageAccount("models", accountArgs);
      new storage.StorageAccount("models", accountArgs);
    };
    await expect(runProgram(twice)).rejects.toThrow(
      /Duplicate resource URN 'urn:pulumi:dev::triton-azure::azure-native:storage:StorageAccount::models'/,
    );
  });

  it("list what they depend on, as a whole and by input", async () => {
    const run = await runProgram(() => {
      const group = new resources.ResourceGroup("group", { resourceGroupName: "rg-models" });
      const other = new resources.ResourceGroup("other", {});
      new storage.StorageAccount("models", { ...accountArgs, resourceGroupName: group.name }, { dependsOn: other });
    });
    const group = run.one("ResourceGroup", "group").urn;
    const other = run.one("ResourceGroup", "other").urn;
    const account = run.one("StorageAccount");
    expect(account.dependencies).toEqual([group, other]);
    expect(account.propertyDependencies).toEqual({ resourceGroupName: [group] });
  });

  it("keep the options that were set, and no others", async () => {
    const run = await runProgram(() => {
      const cluster = new containerservice.ManagedCluster("aks", { resourceGroupName: "rg" });
      new containerservice.AgentPool(
        "pool",
        { resourceGroupName: "rg", resourceName: "aks" },
        {
          ...{ protect: true, retainOnDelete: false, deleteBeforeReplace: false, deletedWith: cluster },
          ...{ ignoreChanges: ["count"], replaceOnChanges: ["vmSize"], additionalSecretOutputs: ["name"] },
          customTimeouts: { create: "1h30m", delete: "10m" },
          hooks: { afterCreate: [new pulumi.ResourceHook("wait-for-roles", () => undefined)] },
          aliases: [{ name: "old-pool" }],
        },
      );
      new resources.ResourceGroup("plain", {});
    });
    expect(run.one("AgentPool").options).toEqual({
      ...{ protect: true, retainOnDelete: false, deleteBeforeReplace: false },
      deletedWith: run.one("ManagedCluster").urn,
      ...{ ignoreChanges: ["count"], replaceOnChanges: ["vmSize"], additionalSecretOutputs: ["name"] },
      customTimeouts: { create: "1h30m", delete: "10m" },
      hooks: { afterCreate: ["wait-for-roles"] },
      version: "3.28.0",
    });
    expect(run.hooks).toEqual(["wait-for-roles"]);
    expect(run.one("ResourceGroup").options).toEqual({ version: "3.28.0" });
  });

  it("hand protect down to children", async () => {
    const run = await runProgram(() => new Store("a", { protect: true }) && undefined);
    expect(run.one("StorageAccount").options.protect).toBe(true);
  });

  it("come in the same order in every run", async () => {
    const names = (order: string[]) => async () => {
      const run = await runProgram(() => {
        for (const name of order) new Store(name);
      });
      return run.resources.map((resource) => resource.urn);
    };
    expect(await names(["b", "a", "c"])()).toEqual(await names(["c", "b", "a"])());
  });

  it("that are only looked up are marked so and keep the id they were asked by", async () => {
    const id = "/subscriptions/s/resourceGroups/rg/providers/Microsoft.Storage/storageAccounts/old";
    const run = await runProgram(async () => {
      const old = storage.StorageAccount.get("old", id);
      expect(await valueOf(old.id)).toBe(id);
    });
    expect(run.one("StorageAccount")).toMatchObject({ read: true, id });
  });

  it("of a remote component are opaque: only the component shows, with its providers", async () => {
    const run = await runProgram(() => {
      const provider = new k8s.Provider("aks", { kubeconfig: "{}" });
      const account = new storage.StorageAccount("models", accountArgs);
      const inputs = { key: pulumi.secret("sentinel-4"), account: account.name };
      new pulumi.ComponentResource("cert:index:CertManager", "certs", inputs, { providers: [provider] }, true);
    });
    const component = run.one("CertManager");
    expect(component.inputs).toEqual({ key: "sentinel-4", account: "models1" });
    expect(isSecret(component, "key")).toBe(true);
    expect(component.propertyDependencies).toEqual({ account: [run.one("StorageAccount").urn] });
    expect(component.remote).toBe(true);
    expect(component.providers["kubernetes"]).toContain("pulumi:providers:kubernetes::aks::");
    expect(run.childrenOf(component)).toEqual([]);
  });
});

describe("providers", () => {
  it("are named by URN and id, and reach children through components", async () => {
    const run = await runProgram(() => {
      const provider = new k8s.Provider("aks", { kubeconfig: "{}" });
      const component = new pulumi.ComponentResource("test:index:App", "app", {}, { providers: [provider] });
      new k8s.core.v1.Namespace("triton", {}, { parent: component });
    });
    const provider = run.one("pulumi:providers:kubernetes");
    expect(run.one("Namespace").provider).toBe(`${provider.urn}::${provider.id}`);
  });

  it("default to one of the package's version, recognisable as such (P1)", async () => {
    const run = await runProgram(() => new k8s.core.v1.Namespace("triton", {}) && undefined);
    expect(run.one("Namespace").provider).toMatch(/^urn:.*::pulumi:providers:kubernetes::default_4_34_2::/);
  });
});

describe("secrets", () => {
  it("stay secret as inputs and outputs, at the depth where they are", async () => {
    const run = await runProgram(() => {
      const account = new storage.StorageAccount("models", {
        ...accountArgs,
        tags: { open: "yes", key: pulumi.secret("sentinel-1") },
      });
      return { key: account.tags.apply((tags) => tags?.["key"]) };
    });
    const account = run.one("StorageAccount");
    expect(input(account, "tags.key")).toBe("sentinel-1");
    expect(isSecret(account, "tags.key")).toBe(true);
    expect(isSecret(account, "accountName")).toBe(false);
    expect(run.outputs["key"]).toBe("sentinel-1");
    expect(isSecretOutput(run.one("Stack"), "key")).toBe(true);
  });

  it("include the outputs that additionalSecretOutputs names", async () => {
    const run = await runProgram(() => {
      const opts = { additionalSecretOutputs: ["name"] };
      return { name: new storage.StorageAccount("models", accountArgs, opts).name };
    });
    expect(isSecretOutput(run.one("Stack"), "name")).toBe(true);
  });
});

describe("a dry run", () => {
  it("leaves ids and computed outputs unknown, and echoes inputs", async () => {
    const run = await runProgram(
      () => {
        const account = new storage.StorageAccount("models", accountArgs);
        const identity = new managedidentity.UserAssignedIdentity("triton", { resourceGroupName: "rg" });
        new authorization.RoleAssignment("reads", {
          ...{ principalId: identity.principalId, roleDefinitionId: "reader", scope: account.id },
        });
        return { id: account.id, endpoint: account.primaryEndpoints.blob, kind: account.kind };
      },
      { dryRun: true },
    );
    expect(run.outputs).toEqual({ id: unknown, endpoint: unknown, kind: "StorageV2" });
    expect(run.one("RoleAssignment").inputs).toMatchObject({ principalId: unknown, scope: unknown });
    expect(run.one("StorageAccount").id).toBe("");
  });

  it("knows that Azure fills in fields inside of given objects", async () => {
    const run = await runProgram(
      () => {
        const cluster = new containerservice.ManagedCluster("aks", {
          ...{ resourceGroupName: "rg", oidcIssuerProfile: { enabled: true }, dnsPrefix: "triton" },
        });
        new managedidentity.FederatedIdentityCredential("triton", {
          ...{ resourceGroupName: "rg", resourceName: "triton", audiences: [], subject: "system" },
          issuer: cluster.oidcIssuerProfile.apply((profile) => profile?.issuerURL ?? "none"),
        });
        return { prefix: cluster.dnsPrefix };
      },
      { dryRun: true },
    );
    expect(run.one("FederatedIdentityCredential").inputs["issuer"]).toEqual(unknown);
    expect(run.outputs["prefix"]).toBe("triton");
  });

  it("calls no function whose arguments are unknown", async () => {
    const run = await runProgram(
      () => {
        const account = new storage.StorageAccount("models", accountArgs);
        const keys = storage.listStorageAccountKeysOutput({ resourceGroupName: "rg", accountName: account.name });
        return { tenant: authorization.getClientConfigOutput().tenantId, key: keys.keys[0]?.value };
      },
      { dryRun: true },
    );
    expect(run.invocations.map(({ token }) => token)).toEqual(["azure-native:authorization:getClientConfig"]);
    expect(run.outputs).toEqual({ tenant: "00000000-0000-0000-0000-000000000001", key: unknown });
  });

  it("does not know another stack's outputs", async () => {
    const program = () => ({ value: new pulumi.StackReference("organization/base/dev").getOutput("vnet") });
    expect((await runProgram(program, { dryRun: true })).outputs["value"]).toEqual(unknown);
  });
});

describe("a real run with the stand-in for Azure", () => {
  it("gives ids as Azure Resource Manager does, from explicit names", async () => {
    const run = await runProgram(() => {
      const account = new storage.StorageAccount("models", accountArgs);
      const container = new storage.BlobContainer("box", { ...accountArgs, containerName: "model-repository" });
      new authorization.RoleAssignment("reads", {
        ...{ principalId: "p", roleDefinitionId: "reader", scope: container.id },
      });
      return { id: account.id, endpoint: account.primaryEndpoints.blob };
    });
    const account =
      "/subscriptions/00000000-0000-0000-0000-000000000000/resourceGroups/rg-models/providers/Microsoft.Storage/storageAccounts/models1";
    expect(run.outputs).toEqual({ id: account, endpoint: "https://models1.blob.core.windows.net/" });
    expect(run.one("BlobContainer").id).toBe(`${account}/blobServices/default/containers/model-repository`);
    expect(run.one("RoleAssignment").id).toMatch(
      /containers\/model-repository\/providers\/Microsoft.Authorization\/roleAssignments\/[0-9a-f-]{36}$/,
    );
  });

  it("computes what clusters and identities are asked for", async () => {
    const run = await runProgram(() => {
      new containerservice.ManagedCluster("aks", {
        ...{ resourceGroupName: "rg", resourceName: "aks-1", oidcIssuerProfile: { enabled: true } },
      });
      new containerservice.ManagedCluster("plain", { resourceGroupName: "rg", identity: { type: "SystemAssigned" } });
    });
    const cluster = run.one("ManagedCluster", "aks");
    expect(output(cluster, "oidcIssuerProfile")).toEqual({
      enabled: true,
      issuerURL: expect.stringMatching(/^https:/) as string,
    });
    expect(output(cluster, "identityProfile.kubeletidentity")).toMatchObject({
      objectId: expect.any(String) as string,
      clientId: expect.any(String) as string,
      resourceId: expect.stringContaining("/userAssignedIdentities/aks-1-agentpool") as string,
    });
    expect(output(run.one("ManagedCluster", "plain"), "identity.principalId")).toMatch(/^[0-9a-f-]{36}$/);
    expect(() => output(run.one("ManagedCluster", "plain"), "oidcIssuerProfile")).toThrow(/has no oidcIssuerProfile/);
  });

  it("answers list functions: an account key, and a kubeconfig that asks for a device login", async () => {
    const run = await runProgram(() => {
      const { keys } = storage.listStorageAccountKeysOutput({ resourceGroupName: "rg", accountName: "a" });
      const args = { resourceGroupName: "rg", resourceName: "aks" };
      const { kubeconfigs } = containerservice.listManagedClusterUserCredentialsOutput(args);
      return { key: keys[0]?.value, kubeconfig: kubeconfigs[0]?.value };
    });
    expect(run.outputs["key"]).toBe(accountKey);
    const kubeconfig = Buffer.from(output<string>(run.one("Stack"), "kubeconfig"), "base64").toString();
    expect(kubeconfig).toContain("command: kubelogin");
    expect(kubeconfig).toContain("- devicecode");
  });

  it("fails, naming the function, where it has no answer", async () => {
    const program = () => ({
      value: storage.listStorageAccountSASOutput({ accountName: "a", resourceGroupName: "r" } as never),
    });
    await expect(runProgram(program)).rejects.toThrow(
      /no answer for the function azure-native:storage:listStorageAccountSAS/,
    );
  });

  it("can be changed in one answer", async () => {
    const standIn = {
      ...azureStandIn,
      invoke: (token: string, args: Parameters<typeof azureStandIn.invoke>[1]) =>
        token.endsWith(":listStorageAccountKeys")
          ? { keys: [{ value: "SENTINEL" }] }
          : azureStandIn.invoke(token, args),
      stackOutputs: () => ({ vnet: "vnet-1" }),
    };
    const program = () => ({
      key: storage.listStorageAccountKeysOutput({ resourceGroupName: "rg", accountName: "a" }).keys[0]?.value,
      vnet: new pulumi.StackReference("organization/base/dev").getOutput("vnet"),
    });
    expect((await runProgram(program, { standIn })).outputs).toEqual({ key: "SENTINEL", vnet: "vnet-1" });
  });
});

describe("transforms", () => {
  const tagged =
    (mark: string): pulumi.ResourceTransform =>
    ({ props, opts, type }) => {
      if (!type.endsWith(":StorageAccount")) return undefined;
      const before = (props["tags"] as Record<string, string> | undefined)?.["marks"] ?? "";
      return { props: { ...props, tags: { marks: before + mark } }, opts };
    };

  it("run from the resource upwards to the stack", async () => {
    const run = await runProgram(() => {
      pulumi.runtime.registerResourceTransform(tagged("stack"));
      const outer = new pulumi.ComponentResource("test:index:Outer", "outer", {}, { transforms: [tagged("outer ")] });
      new storage.StorageAccount("models", accountArgs, { parent: outer, transforms: [tagged("own ")] });
      new storage.StorageAccount("other", accountArgs);
    });
    expect(input(run.one("StorageAccount", "models"), "tags.marks")).toBe("own outer stack");
    expect(input(run.one("StorageAccount", "other"), "tags.marks")).toBe("stack");
  });

  it("change options and keep secrets secret", async () => {
    const run = await runProgram(() => {
      pulumi.runtime.registerResourceTransform(({ props, opts }) => ({ props, opts: { ...opts, protect: true } }));
      const tags = { key: pulumi.secret("sentinel-2") };
      new storage.StorageAccount("models", { ...accountArgs, tags });
    });
    const account = run.one("StorageAccount");
    expect(account.options.protect).toBe(true);
    expect(isSecret(account, "tags.key")).toBe(true);
    expect(input(account, "tags.key")).toBe("sentinel-2");
  });

  it("of functions change arguments", async () => {
    const run = await runProgram(() => {
      pulumi.runtime.registerInvokeTransform(({ args, opts }) => ({ args: { ...args, accountName: "changed" }, opts }));
      return storage.listStorageAccountKeysOutput({ resourceGroupName: "rg", accountName: "a" });
    });
    expect(run.invocations[0]?.args).toEqual({ accountName: "changed", resourceGroupName: "rg" });
  });

  it("that fail make the resource fail", async () => {
    const failing: pulumi.ResourceTransform = () => {
      throw new Error("no tags today");
    };
    const program = () => void new storage.StorageAccount("models", accountArgs, { transforms: [failing] });
    await expect(runProgram(program)).rejects.toThrow(/no tags today/);
  });
});

describe("programs in this process", () => {
  it("reject with the error that the program threw", async () => {
    const error = new pulumi.RunError("pools are missing");
    const program = () => {
      throw error;
    };
    await expect(runProgram(program)).rejects.toBe(error);
  });

  it("reject when an output that a resource needs fails", async () => {
    const program = () => {
      const accountName = pulumi.output("a").apply((): string => {
        throw new Error("no name for it");
      });
      new storage.StorageAccount("models", { ...accountArgs, accountName });
    };
    await expect(runProgram(program)).rejects.toThrow(/no name for it/);
  });

  it("keep apart when several run at once", async () => {
    const stacks = ["a", "b", "c", "d"];
    const program = async () => {
      const stack = pulumi.getStack();
      await new Promise((resolve) => setTimeout(resolve, 5));
      new resources.ResourceGroup(stack, { resourceGroupName: `${stack}-${pulumi.getStack()}` });
    };
    const runs = await Promise.all(stacks.map((stack) => runProgram(program, { stack })));
    const found = runs.map((run) => run.all("ResourceGroup").map((group) => input(group, "resourceGroupName")));
    expect(found).toEqual([["a-a"], ["b-b"], ["c-c"], ["d-d"]]);
  });

  it("read configuration, structured values and secrets included", async () => {
    const program = () => {
      const config = new pulumi.Config();
      return { pools: config.requireObject("pools"), key: config.requireSecret("key") };
    };
    const run = await runProgram(program, { config: { pools: [{ name: "t4" }], key: "sentinel-3" }, secrets: ["key"] });
    expect(run.outputs).toEqual({ pools: [{ name: "t4" }], key: "sentinel-3" });
    expect(isSecretOutput(run.one("Stack"), "key")).toBe(true);
  });
});
