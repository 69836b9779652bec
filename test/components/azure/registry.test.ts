import { describe, expect, it } from "vitest";
import { Registry, type RegistryArgs } from "../../../components/azure/registry";
import { roles } from "../../../core/roles";
import { runProgram } from "../../support/engine";
import { valueOf } from "../../support/outputs";
import { comesAfter, custom, sharedPlace, suffix, untagged } from "./support";

const args: RegistryArgs = { ...sharedPlace, production: false, replicas: [] };

const run = (changes: Partial<RegistryArgs> = {}, dryRun = false) =>
  runProgram(() => new Registry("registry", { ...args, ...changes }), { dryRun });

describe("Registry", () => {
  it("is small and disposable outside production", async () => {
    const result = await run({ replicas: ["northeurope"] });
    const registry = result.one("containerregistry:Registry");
    expect(registry.inputs).toMatchObject({
      sku: { name: "Basic" },
      adminUserEnabled: false,
      anonymousPullEnabled: false,
    });
    expect(registry.inputs["registryName"]).toBe(`tritonazuredev${suffix}`);
    // Basic has neither of them, and Azure refuses them there.
    expect(registry.inputs).not.toHaveProperty("policies");
    expect(registry.inputs["zoneRedundancy"]).not.toBe("Enabled");
    expect(result.all("Replication")).toEqual([]);
    expect(registry.options.protect).toBeUndefined();
  });

  it("is copied over zones and locations, bounded and protected in production", async () => {
    const result = await run({ production: true, replicas: ["northeurope", "eastus"] });
    const registry = result.one("containerregistry:Registry");
    expect(registry.inputs).toMatchObject({
      sku: { name: "Premium" },
      adminUserEnabled: false,
      zoneRedundancy: "Enabled",
      policies: { retentionPolicy: { status: "enabled", days: 90 } },
    });
    expect(registry.options).toMatchObject({ protect: true, retainOnDelete: true });
    expect(result.all("Replication").map(({ inputs }) => inputs)).toMatchObject([
      { location: "eastus", replicationName: "eastus", zoneRedundancy: "Enabled" },
      { location: "northeurope", replicationName: "northeurope", zoneRedundancy: "Enabled" },
    ]);
    expect(untagged(result)).toEqual([]);
    const component = result.one("triton-azure:index:Registry");
    for (const resource of custom(result)) expect(resource.parent).toBe(component.urn);
  });

  it("makes its copies one after the other, in an order that the order of regions does not change", async () => {
    for (const replicas of [
      ["northeurope", "eastus"],
      ["eastus", "northeurope"],
    ]) {
      const result = await run({ production: true, replicas }, true);
      expect(
        comesAfter(
          result,
          result.one("Replication", "registry-northeurope"),
          result.one("Replication", "registry-eastus"),
        ),
      ).toBe(true);
    }
  });

  it("P18: lets a cluster's nodes pull, by their object id, and nothing more", async () => {
    let server: Promise<string> | undefined;
    const result = await runProgram(() => {
      const registry = new Registry("registry", args);
      server = valueOf(registry.loginServer);
      registry.grantPull("pull-westeurope", "kubelet-object-id", 0);
      registry.grantPull("pull-northeurope", "other-object-id", 0);
    });
    expect(await server).toBe(`tritonazuredev${suffix}.azurecr.io`);
    const grants = result.all("RoleAssignment");
    expect(grants.map(({ name, inputs }) => [name, inputs["principalId"]])).toEqual([
      ["registry-pull-northeurope", "other-object-id"],
      ["registry-pull-westeurope", "kubelet-object-id"],
    ]);
    for (const { inputs, parent, options } of grants) {
      expect(inputs).toMatchObject({
        principalType: "ServicePrincipal",
        scope: result.one("containerregistry:Registry").id,
      });
      expect(inputs["roleDefinitionId"]).toMatch(new RegExp(`${roles.acrPull}$`));
      expect(parent).toBe(result.one("triton-azure:index:Registry").urn);
      expect(options.hooks?.["afterCreate"]).toHaveLength(1);
    }
  });
});
