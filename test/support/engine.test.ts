import * as storage from "@pulumi/azure-native/storage";
import * as pulumi from "@pulumi/pulumi";
import { describe, expect, it } from "vitest";
import { containsPlain, input, isSecret, leaks, runProgram, runStack } from "./engine";
import { valueOf } from "./outputs";

const serving = "test/tools/preview/fixtures/serving";
const accountArgs = { resourceGroupName: "rg", accountName: "m1", kind: "StorageV2", sku: { name: "Standard_LRS" } };

describe("runStack", { timeout: 120_000 }, () => {
  it("runs a whole program dry, from its stack file and the values laid over it", async () => {
    const run = await runStack({
      program: serving,
      stackFile: "prod",
      config: { maxNodes: 7, "serving:suffix": "other" },
    });
    expect(run.stderr).toBe("");
    expect(run.exitCode).toBe(0);
    expect(run.all("AgentPool").map((pool) => input(pool, "maxCount"))).toEqual([7, 7]);
    expect(input(run.one("StorageAccount", "westeurope-models"), "accountName")).toBe("modelsotherwesteurope");
    expect(run.messages("warning")).toEqual(["adminKey is not set: anybody may load models"]);
    expect(run.one("Stack").name).toBe("serving-prod");
  });

  it("makes a real run with the stand-in's answers, secrets kept", async () => {
    const config = { suffix: "abcd", adminKey: "sentinel-admin" };
    const run = await runStack({ program: serving, config, secrets: ["adminKey"], dryRun: false });
    expect(run.exitCode).toBe(0);
    expect(input(run.one("FederatedIdentityCredential"), "issuer")).toMatch(/^https:\/\/westeurope\.oic\./);
    const provider = run.one("pulumi:providers:kubernetes");
    expect(isSecret(provider, "kubeconfig")).toBe(true);
    expect(input(provider, "kubeconfig")).toContain("current-context: aks-westeurope");
    expect(isSecret(run.one("kubernetes:core/v1:Secret"), "stringData.TRITON_ADMIN_KEY")).toBe(true);
    expect(leaks(run, "sentinel-admin")).toEqual([]);
  });

  it("registers the same with the lean SDK as Pulumi's own runner does", async () => {
    const config = { suffix: "abcd", regions: ["westeurope"] };
    for (const dryRun of [true, false]) {
      const options = { program: serving, config, dryRun };
      const [lean, plain] = await Promise.all([runStack(options), runStack({ ...options, asPulumiDoes: true })]);
      expect(plain.resources).toHaveLength(14);
      expect(lean.resources).toEqual(plain.resources);
      expect(lean.logs).toEqual(plain.logs);
    }
  });

  it("tells the exit code and messages of a program that fails", async () => {
    const run = await runStack({ program: "test/tools/preview/fixtures/misconfigured" });
    expect(run.exitCode).not.toBe(0);
    expect(run.messages("error")).toEqual([expect.stringContaining("misconfigured:suffix: required")]);
  });
});

describe("finders", () => {
  it("list what there is when they do not find one", async () => {
    const run = await runProgram(() => {
      new storage.StorageAccount("a", accountArgs);
      new storage.StorageAccount("b", accountArgs);
    });
    expect(() => run.one("StorageAccount")).toThrow(
      /expected one StorageAccount, found 2\. There are:\n {2}azure-native:storage:StorageAccount a\n/,
    );
    expect(() => run.one("BlobContainer")).toThrow(/found 0/);
    expect(run.one("StorageAccount", "b").name).toBe("b");
    expect(run.all("Account")).toEqual([]);
    expect(() => run.byUrn("urn:x")).toThrow(/no resource/);
    expect(() => input(run.one("StorageAccount", "a"), "accountNmae")).toThrow(
      /has no accountNmae; it has accountName/,
    );
    expect(() => isSecret(run.one("StorageAccount", "a"), "tags.key")).toThrow(/has no tags\.key/);
  });
});

describe("leaks", () => {
  const program = (tag: pulumi.Input<string>) => () => {
    new storage.StorageAccount("a", { ...accountArgs, tags: { tag } });
  };

  it("are found in plain values, and not in secrets", async () => {
    const open = await runProgram(program("sentinel-text"));
    expect(leaks(open, "sentinel-text")).toEqual([
      expect.stringMatching(/StorageAccount::a input tags$/),
      expect.stringMatching(/StorageAccount::a output tags$/),
    ]);
    const closed = await runProgram(program(pulumi.secret("sentinel-text")));
    expect(containsPlain(closed, "sentinel-text")).toBe(false);
  });

  it("are found in Base64, in messages, and in names", async () => {
    const encoded = await runProgram(program(Buffer.from("sentinel-text").toString("base64")));
    expect(containsPlain(encoded, "sentinel-text")).toBe(true);
    const logged = await runProgram(() => pulumi.log.warn("it is sentinel-text"));
    expect(leaks(logged, "sentinel-text")).toEqual(["message (warning)"]);
    const named = await runProgram(() => void new storage.StorageAccount("sentinel-text", accountArgs));
    expect(leaks(named, "sentinel-text")[0]).toMatch(/itself$/);
  });
});

describe("valueOf", () => {
  it("gives the value of an output and rejects with what made it fail", async () => {
    expect(await valueOf(pulumi.output({ a: pulumi.output(1) }))).toEqual({ a: 1 });
    const failing = pulumi.output(1).apply(() => {
      throw new Error("no value");
    });
    await expect(valueOf(failing)).rejects.toThrow("no value");
  });
});
