import * as storage from "@pulumi/azure-native/storage";
import * as pulumi from "@pulumi/pulumi";
import { describe, expect, it } from "vitest";
import { runProgram } from "../../support/engine";
import { planOf } from "../../../tools/preview/plan";
import { type StackSettings } from "../../../tools/preview/stack-file";

const settings: StackSettings = {
  ...{ project: "triton-azure", stack: "dev", root: "/", file: "Pulumi.dev.yaml", main: "." },
  ...{ config: {}, secretKeys: [] },
};
const cost = {
  ...{ currency: "USD" as const, priceTableDate: "2026-08-01", hoursPerMonth: 730, pools: [] },
  total: { nodes: 0, gpus: 0, gpuMemoryGiB: 0, monthlyUsd: 0 },
};

async function planWith(key: string, dryRun = true) {
  const run = await runProgram(
    () => {
      const args = {
        resourceGroupName: "rg",
        accountName: "models1",
        kind: "StorageV2",
        sku: { name: "Standard_LRS" },
      };
      const account = new storage.StorageAccount("models", { ...args, tags: { key: pulumi.secret(key) } });
      new storage.BlobContainer("box", { ...args, accountName: account.name }, { parent: account, protect: true });
      storage.StorageAccount.get("old", "/subscriptions/s/old");
      return { name: account.name, key: pulumi.secret(key), nextStep: "publish" };
    },
    { dryRun },
  );
  return planOf(settings, run.recording, [], cost);
}

describe("a plan", () => {
  it("has the fields of its contract, and leaves out what is only looked up", async () => {
    const plan = await planWith("sentinel-key");
    const stack = "urn:pulumi:dev::triton-azure::pulumi:pulumi:Stack::triton-azure-dev";
    const account = "urn:pulumi:dev::triton-azure::azure-native:storage:StorageAccount::models";
    expect(Object.keys(plan)).toEqual(["project", "stack", "resources", "outputs", "policies", "cost"]);
    expect(plan.resources.map(({ name }) => name)).toEqual(["triton-azure-dev", "models", "box"]);
    expect(plan.resources[1]).toEqual({
      ...{ urn: account, type: "azure-native:storage:StorageAccount", name: "models", parent: stack },
      provider: expect.stringContaining("pulumi:providers:azure-native::default_3_28_0::") as string,
      ...{ dependencies: [], propertyDependencies: {}, options: { version: "3.28.0" } },
      inputs: {
        ...{ accountName: "models1", kind: "StorageV2", resourceGroupName: "rg", sku: { name: "Standard_LRS" } },
        tags: { key: { secret: true } },
      },
    });
    expect(plan.resources[2]).toMatchObject({
      ...{ parent: account, dependencies: [account], propertyDependencies: { accountName: [account] } },
      options: { protect: true },
      inputs: { accountName: { unknown: true } },
    });
    expect(plan.outputs).toEqual({ key: { secret: true }, name: { unknown: true }, nextStep: "publish" });
  });

  it("never holds the text of a secret", async () => {
    for (const dryRun of [true, false]) {
      expect(JSON.stringify(await planWith("sentinel-key", dryRun))).not.toContain("sentinel-key");
    }
  });

  it("is the same in every run, whatever the secrets", async () => {
    expect(JSON.stringify(await planWith("one key"))).toBe(JSON.stringify(await planWith("another key")));
  });
});
