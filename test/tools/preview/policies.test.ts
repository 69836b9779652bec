import * as storage from "@pulumi/azure-native/storage";
import {
  type Policies,
  type ResourceValidationPolicy,
  type StackValidationPolicy,
  validateResourceOfType,
  validateStackResourcesOfType,
} from "@pulumi/policy";
import * as pulumi from "@pulumi/pulumi";
import { describe, expect, it } from "vitest";
import { type Run, runProgram } from "../../support/engine";
import { environment } from "../../../config/environment";
import { defaultEnvironment } from "../../../tools/preview/findings";
import { configured, PolicyConfigError } from "../../../tools/preview/policy-pack";
import { runPolicies } from "../../../tools/preview/policies";

const accountArgs = {
  resourceGroupName: "rg",
  accountName: "models1",
  kind: "StorageV2",
  sku: { name: "Standard_LRS" },
};

function stackOfAccounts(dryRun = true): Promise<Run> {
  return runProgram(
    () => {
      const first = new storage.StorageAccount("first", accountArgs, {
        protect: true,
        customTimeouts: { create: "1h30m" },
      });
      new storage.StorageAccount("second", {
        ...accountArgs,
        accountName: first.name,
        tags: { key: pulumi.secret("s3cret-key") },
      });
    },
    { dryRun },
  );
}

async function violations(rules: Policies, run: Run, settings: Parameters<typeof configured>[1] = {}) {
  const found = await runPolicies(configured(rules, settings), run.resources, run.recording.stackUrn);
  return found.map(({ policy, level, urn, message }) => [policy, level, urn.split("::").at(-1), message]);
}

const resourcePolicy = (
  validateResource: ResourceValidationPolicy["validateResource"],
  rest: Partial<ResourceValidationPolicy> = {},
): ResourceValidationPolicy => ({
  ...{ name: "rule", description: "a rule", enforcementLevel: "mandatory" },
  ...(validateResource !== undefined && { validateResource }),
  ...rest,
});

describe("resource policies", () => {
  it("see the inputs of the resources of their type, secrets opened", async () => {
    const rule = resourcePolicy(
      validateResourceOfType(storage.StorageAccount, (account, args, report) => {
        if (account.tags?.["key"] === "s3cret-key") report(`${args.name} has a key tag`);
      }),
    );
    expect(await violations([rule], await stackOfAccounts())).toEqual([
      ["rule", "mandatory", "second", "second has a key tag"],
    ]);
  });

  it("see options", async () => {
    const rule = resourcePolicy(({ type, opts }, report) => {
      if (type.endsWith(":StorageAccount"))
        report(`${opts.protect} ${opts.customTimeouts.createSeconds} ${opts.parent?.split("::").at(-1)}`);
    });
    const found = await violations([rule], await stackOfAccounts());
    expect(found.map(([, , , message]) => message)).toEqual(["true 5400 triton-azure-dev", "false 0 triton-azure-dev"]);
  });

  it("that read an unknown value neither crash nor pass silently (C1)", async () => {
    const rule = resourcePolicy(
      validateResourceOfType(storage.StorageAccount, (account, _, report) => {
        if (!account.accountName?.startsWith("models")) report("wrong name");
      }),
    );
    expect(await violations([rule], await stackOfAccounts())).toEqual([
      ["rule", "advisory", "second", "cannot be checked yet; known only after the deployment: accountName"],
    ]);
    expect(await violations([rule], await stackOfAccounts(false))).toEqual([]);
  });

  it("that fail by themselves are mandatory violations", async () => {
    const rule = resourcePolicy(
      ({ name }) => {
        if (name === "first") throw new TypeError("x is not a function");
      },
      { enforcementLevel: "advisory" },
    );
    expect(await violations([rule], await stackOfAccounts())).toEqual([
      ["rule", "mandatory", "first", "the policy itself failed: x is not a function"],
    ]);
  });

  it("may have several validations, be not applicable, and be asynchronous", async () => {
    const rule = resourcePolicy([
      (args) => args.notApplicable("never"),
      async ({ name }, report) => {
        await Promise.resolve();
        if (name === "first") report("late", "urn:pulumi:dev::p::t::elsewhere");
      },
    ]);
    expect(await violations([rule], await stackOfAccounts())).toEqual([["rule", "mandatory", "elsewhere", "late"]]);
  });
});

describe("stack policies", () => {
  const stackPolicy = (validateStack: StackValidationPolicy["validateStack"]): StackValidationPolicy => ({
    ...{ name: "whole", description: "a rule for all", enforcementLevel: "mandatory", validateStack },
  });

  it("see all resources, with parents and dependencies as resources", async () => {
    const rule = stackPolicy(({ resources }, report) => {
      const second = resources.find((resource) => resource.name === "second");
      report(`${second?.parent?.name} ${second?.dependencies.map(({ name }) => name).join()}`);
      report(String(second?.propertyDependencies["accountName"]?.[0]?.name), second?.urn);
    });
    expect(await violations([rule], await stackOfAccounts())).toEqual(
      [
        ["whole", "mandatory", "second", "first"],
        ["whole", "mandatory", "triton-azure-dev", "triton-azure-dev first"],
      ].sort(),
    );
  });

  it("see typed resources and report unknown values", async () => {
    const rule = stackPolicy(
      validateStackResourcesOfType(storage.StorageAccount, (accounts, _, report) => {
        for (const account of accounts) if (account.name === "") report("no name");
        report(JSON.stringify(accounts));
      }),
    );
    const [[, level, , message] = []] = await violations([rule], await stackOfAccounts());
    expect(level).toBe("advisory");
    expect(message).toMatch(/^cannot be checked yet; known only after the deployment: /);
  });
});

describe("the settings of a stack", () => {
  const report: ResourceValidationPolicy["validateResource"] = (args, violation) => {
    const { limit } = args.getConfig<{ limit: number }>();
    if (args.name === "first") violation(`limit ${limit}`);
  };
  const schema = {
    configSchema: { properties: { limit: { type: "number" as const, default: 4 } }, required: ["limit"] },
  };
  const rules = [resourcePolicy(report, schema)];

  it("are laid over the defaults of the policy's schema", async () => {
    const run = await stackOfAccounts();
    expect(await violations(rules, run)).toEqual([["rule", "mandatory", "first", "limit 4"]]);
    expect(await violations(rules, run, { rule: { limit: 5 } })).toEqual([["rule", "mandatory", "first", "limit 5"]]);
  });

  it("are those of production for a stack that names no environment, as its configuration is", () => {
    expect(defaultEnvironment).toBe(environment.parse(undefined));
  });

  it("choose the level, for one or for all", async () => {
    const run = await stackOfAccounts();
    expect(await violations(rules, run, { rule: "disabled" })).toEqual([]);
    expect((await violations(rules, run, { all: "advisory" }))[0]?.[1]).toBe("advisory");
    const settings = { all: "advisory" as const, rule: { enforcementLevel: "mandatory" as const } };
    expect((await violations(rules, run, settings))[0]?.[1]).toBe("mandatory");
  });

  it("that do not fit are all told at once", () => {
    const { configSchema: _, ...rest } = { ...rules[0] } as ResourceValidationPolicy;
    const needy = { ...rest, configSchema: { properties: {}, required: ["owner"] } };
    const settings = { ruel: "advisory", rule: "strict" } as unknown as Parameters<typeof configured>[1];
    expect(() => configured([needy], settings)).toThrow(PolicyConfigError);
    expect(() => configured([needy], settings)).toThrow(
      /no policy ruel; did you mean rule\?[^]*strict is no level[^]*owner is required/,
    );
  });
});
