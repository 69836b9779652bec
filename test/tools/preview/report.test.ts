import { describe, expect, it } from "vitest";
import { gpuCeiling } from "../../../tools/preview/ceiling";
import { type PlannedResource } from "../../../tools/preview/plan";
import { type Outcome, report, shortUrn } from "../../../tools/preview/report";
import { painter, wantsColor } from "../../../tools/preview/terminal";

const urn = (types: string, name: string) => `urn:pulumi:dev::serving::${types}::${name}`;
const stack = urn("pulumi:pulumi:Stack", "serving-dev");
const region = urn("serving:index:Region", "westeurope");

const resource = (
  type: string,
  name: string,
  parent: string,
  rest: Partial<PlannedResource> = {},
): PlannedResource => ({
  ...{ urn: urn(type, name), type, name, parent, provider: "urn::id" },
  ...{ dependencies: [], propertyDependencies: {}, options: {}, inputs: {}, ...rest },
});
const resources = [
  resource("pulumi:pulumi:Stack", "serving-dev", "", { provider: "" }),
  resource("serving:index:Region", "westeurope", stack, { provider: "" }),
  resource("azure-native:storage:StorageAccount", "models", region, { options: { protect: true } }),
  resource("azure-native:containerservice:AgentPool", "t4", region, {
    inputs: {
      ...{ agentPoolName: "t4", resourceName: "aks", vmSize: "Standard_NC4as_T4_v3", scaleSetPriority: "Spot" },
      ...{ enableAutoScaling: true, minCount: 0, maxCount: 2 },
    },
  }),
  resource("pulumi:providers:kubernetes", "aks", region),
];

const outcome = (rest: Partial<Outcome> = {}, plan: Partial<Outcome["plan"]> = {}): Outcome => ({
  plan: {
    ...{ project: "serving", stack: "dev", resources, policies: [], cost: gpuCeiling(resources) },
    outputs: { endpoint: { unknown: true }, key: { secret: true }, nextStep: "publish a release" },
    ...plan,
  },
  ...{ logs: [], printed: "", policyCount: 3, elapsed: 2345, notes: [], ...rest },
});
const plainReport = (...args: Parameters<typeof outcome>) => report(outcome(...args), painter(false));

describe("the report", () => {
  it("shows the tree, counts, policies, GPU ceiling, outputs and time", () => {
    expect(plainReport()).toMatchInlineSnapshot(`
      "Preview of stack dev of serving

      pulumi:pulumi:Stack                          serving-dev
        serving:index:Region                       westeurope
          azure-native:storage:StorageAccount      models  protected
          azure-native:containerservice:AgentPool  t4
          pulumi:providers:kubernetes              aks

      4 resources: 2 azure-native, 1 component, 1 provider

      3 policies: no violations

      GPU ceiling (on-demand list prices of 2026-06-18, for orientation)
        pool   cluster  size                         nodes   GPUs  GPU memory  a month at most
        t4     aks      Standard_NC4as_T4_v3 (spot)  0 to 2  2     32 GiB      768 USD, less on spot
        total                                        2       2     32 GiB      768 USD

      Outputs
        endpoint  (known after deployment)
        key       (secret)
        nextStep  publish a release

      Done in 2.3 s. Nothing was created.
      "
    `);
  });

  it("shows warnings loudly, with the resource they are about", () => {
    const logs = [
      { severity: "warning" as const, message: "suffix is an example\nmake your own", urn: "" },
      { severity: "warning" as const, message: "no zone", urn: urn("azure-native:storage:StorageAccount", "models") },
      { severity: "info" as const, message: "two regions", urn: "" },
    ];
    expect(plainReport({ logs, printed: "hello\n" })).toContain(
      `Printed by the program
  hello

2 warnings
  WARNING suffix is an example
          make your own
  WARNING azure-native:storage:StorageAccount models: no zone
  note two regions
`,
    );
  });

  it("shows violations with the resource, mandatory ones as such", () => {
    const violation = {
      policy: "no-keys",
      urn: urn("azure-native:storage:StorageAccount", "models"),
      message: "a key",
    };
    const policies = [
      { ...violation, level: "mandatory" as const },
      { ...violation, level: "advisory" as const, policy: "names" },
    ];
    expect(plainReport({}, { policies })).toContain(
      `3 policies: 1 mandatory violation, 1 advisory
  VIOLATION no-keys  azure-native:storage:StorageAccount models
    a key
  advisory  names  azure-native:storage:StorageAccount models
    a key
`,
    );
  });

  it("says when there are no policies and no GPU pools", () => {
    const text = plainReport({ policyCount: 0 }, { cost: gpuCeiling([]) });
    expect(text).toContain("No policies: this project has no policy pack");
    expect(text).toContain("GPU ceiling: no GPU pools");
  });

  it("has colours only when asked", () => {
    expect(plainReport()).not.toContain("\u001b");
    expect(report(outcome(), painter(true))).toContain("\u001b[1mmodels\u001b[22m");
  });

  it("shortens URNs to type and name", () => {
    expect(shortUrn(`${urn("a:index:Region$azure-native:network:Subnet", "x")}`)).toBe("azure-native:network:Subnet x");
  });
});

describe("colours", () => {
  it("are for terminals, unless someone says no", () => {
    expect(wantsColor({ isTTY: true }, true, {})).toBe(true);
    expect(wantsColor({ isTTY: undefined }, true, {})).toBe(false);
    expect(wantsColor({ isTTY: true }, false, {})).toBe(false);
    expect(wantsColor({ isTTY: true }, true, { NO_COLOR: "1" })).toBe(false);
    expect(wantsColor({ isTTY: true }, true, { NO_COLOR: "" })).toBe(true);
    expect(wantsColor({ isTTY: true }, true, { TERM: "dumb" })).toBe(false);
  });
});
