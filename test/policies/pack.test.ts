import { type ChildProcess, spawn } from "node:child_process";
import * as fs from "node:fs";
import * as path from "node:path";
import { credentials } from "@grpc/grpc-js";
import { AnalyzerClient } from "@pulumi/pulumi/proto/analyzer_grpc_pb";
import {
  type AnalyzeResponse,
  type AnalyzerInfo,
  ConfigureAnalyzerRequest,
  EnforcementLevel,
  PolicyConfig,
} from "@pulumi/pulumi/proto/analyzer_pb";
import { Empty } from "google-protobuf/google/protobuf/empty_pb";
import { Struct } from "google-protobuf/google/protobuf/struct_pb";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { rules } from "../../policies/rules";
import { azure, azureClass, kubernetesKind } from "../../policies/support/types";
import { configured, readPolicyConfig } from "../../tools/preview/policy-pack";
import { policiesTable } from "../../tools/docs/policies-table";
import * as azureFixtures from "./fixtures/azure";
import * as kubernetesFixtures from "./fixtures/kubernetes";
import { type Fixture, resourceRequest, verdicts } from "./support/analyzer";
import { changed } from "./support/values";

const root = path.resolve(__dirname, "../..");
const pack = path.join(root, "policies");

describe("the rules", () => {
  it("say what holds, how strictly, and what to do", () => {
    for (const rule of rules) {
      expect(rule.name).toMatch(/^[a-z]+(-[a-z]+)+$/);
      expect(rule.description, rule.name).toMatch(/^[A-Z].*\.$/s);
      expect(["mandatory", "advisory"], rule.name).toContain(rule.enforcementLevel);
      expect(rule.severity, rule.name).toBeDefined();
      expect(rule.remediationSteps, rule.name).toMatch(/\S\.$/);
    }
    expect(new Set(rules.map(({ name }) => name)).size).toBe(rules.length);
  });
  it("have a default, a type and a description for each setting", () => {
    for (const schema of rules.flatMap((rule) => Object.values(rule.configSchema?.properties ?? {}))) {
      expect(schema).toMatchObject({ type: expect.any(String) as unknown, description: expect.any(String) as unknown });
      expect(schema.default).toBeDefined();
    }
  });
  it("are one in each file, and all in the list", () => {
    const files = fs.readdirSync(path.join(pack, "rules")).filter((file) => file !== "index.ts");
    expect(files.sort()).toEqual(rules.map(({ name }) => `${name}.ts`).sort());
  });
  it("each have tests", () => {
    const tests = fs.readdirSync(__dirname).filter((file) => file.endsWith(".test.ts") && file !== "pack.test.ts");
    const text = tests.map((file) => fs.readFileSync(path.join(__dirname, file), "utf8")).join("\n");
    const camel = (name: string) => name.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase());
    const untested = rules.filter(({ name }) => !new RegExp(`(promises|verdicts)\\(\\s*${camel(name)}\\b`).test(text));
    expect(untested.map(({ name }) => name)).toEqual([]);
  });
  it("all pass for the fixtures together", async () => {
    const fixtures = [...Object.values(azureFixtures), ...Object.values(kubernetesFixtures)].filter(
      (value): value is Fixture => typeof value === "object" && "props" in value,
    );
    const found = await Promise.all(rules.map(async (rule) => ({ [rule.name]: await verdicts(rule, fixtures) })));
    expect(found.filter((entry) => Object.values(entry).flat().length > 0)).toEqual([]);
  });
});

describe("settings", () => {
  it.each(["dev", "prod"])("of %s name policies and keys that there are", (environment) => {
    const settings = readPolicyConfig(root, environment);
    expect(() => configured(rules, settings)).not.toThrow();
    for (const [name, entry] of Object.entries(settings)) {
      const known = Object.keys(rules.find((rule) => rule.name === name)?.configSchema?.properties ?? {});
      const given = typeof entry === "string" ? [] : Object.keys(entry).filter((key) => key !== "enforcementLevel");
      expect(known, name).toEqual(expect.arrayContaining(given));
    }
  });
  it("protect in prod what may be thrown away in dev", () => {
    const disabled = (environment: string) =>
      configured(rules, readPolicyConfig(root, environment))
        .filter(({ level }) => level === "disabled")
        .map(({ policy }) => policy.name);
    expect(disabled("dev").sort()).toEqual(["stateful-protected", "vault-purge-protection"]);
    expect(disabled("prod")).toEqual([]);
  });
});

describe("types", () => {
  it.each([
    "azure-native:containerservice:ManagedCluster",
    "azure-native:containerservice/v20250901:ManagedCluster",
    "azure-native_containerservice_v20250901:containerservice:ManagedCluster",
  ])("are told across API versions: %s", (type) => {
    expect(azure("containerservice:ManagedCluster")(type)).toBe(true);
  });
  it.each([
    "azure:containerservice:ManagedCluster",
    "azure-native:other:ManagedCluster",
    "azure-native:containerservice:Managed",
  ])("are not confused: %s", (type) => {
    expect(azure("containerservice:ManagedCluster")(type)).toBe(false);
  });
  it("have a class or a kind", () => {
    expect(azureClass("kubernetes:apps/v1:Deployment")).toBeUndefined();
    expect(kubernetesKind("azure-native:storage:StorageAccount")).toBeUndefined();
    expect(kubernetesKind("kubernetes:apps/v1:DeploymentPatch")).toBe("Deployment");
  });
});

describe("the table of policies", () => {
  it("has a row for each, with its settings", () => {
    const lines = policiesTable(rules).split("\n");
    expect(lines).toHaveLength(rules.length + 2);
    for (const rule of rules)
      expect(lines.find((line) => line.startsWith(`| \`${rule.name}\` |`))).toContain(rule.description);
    expect(policiesTable(rules)).toContain("`maxNodes`, default `2`: Most nodes that a GPU pool may have.");
  });
  it("keeps its columns whatever a description holds", () => {
    const [rule] = rules;
    const row = policiesTable([{ ...rule, name: "a", description: "x|y\nz" }]).split("\n")[2] ?? "";
    expect(row).toContain("x\\|y z");
    expect(row.match(/(?<!\\)\|/g)).toHaveLength(6);
  });
});

describe("the pack under Pulumi's own host", () => {
  let host: ChildProcess;
  let client: AnalyzerClient;

  beforeAll(async () => {
    const program = require.resolve("@pulumi/pulumi/cmd/run-policy-pack");
    host = spawn(process.execPath, [program, "127.0.0.1:1", pack], { cwd: pack, stdio: ["ignore", "pipe", "pipe"] });
    const port = await portOf(host);
    client = new AnalyzerClient(`127.0.0.1:${port}`, credentials.createInsecure());
  }, 120_000);
  afterAll(() => {
    client.close();
    host.kill();
  });

  it("compiles with type checks and tells its policies", async () => {
    const info = await call<AnalyzerInfo>((reply) => client.getAnalyzerInfo(new Empty(), reply));
    const { version } = JSON.parse(fs.readFileSync(path.join(pack, "package.json"), "utf8")) as { version: string };
    expect([info.getName(), info.getVersion()]).toEqual(["triton-azure-policies", version]);
    expect(info.getPoliciesList().map((policy) => policy.getName())).toEqual(rules.map(({ name }) => name));
  });
  it("judges by the settings that it is given", async () => {
    const props = changed(azureFixtures.gpuPool.props, "maxCount", 5);
    const analyze = async () => {
      const request = resourceRequest({ ...azureFixtures.gpuPool, props });
      const response = await call<AnalyzeResponse>((reply) => client.analyze(request, reply));
      return response.getDiagnosticsList().map((diagnostic) => diagnostic.getMessage());
    };
    expect(await analyze()).toEqual([expect.stringContaining("maxCount is 5; it must be 2 or less")]);

    const settings = new PolicyConfig();
    settings.setEnforcementlevel(EnforcementLevel.MANDATORY);
    settings.setProperties(Struct.fromJavaScript({ maxNodes: 5 }));
    const request = new ConfigureAnalyzerRequest();
    request.getPolicyconfigMap().set("gpu-pool-cap", settings);
    await call((reply) => client.configure(request, reply));
    expect(await analyze()).toEqual([]);
  });
});

function portOf(host: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let printed = "";
    const collect = (chunk: Buffer) => {
      printed += chunk.toString();
      const port = /^(\d+)$/m.exec(printed)?.[1];
      if (port !== undefined) resolve(port);
    };
    host.stdout?.on("data", collect);
    host.stderr?.on("data", collect);
    host.once("exit", (code) => {
      reject(new Error(`the policy pack ended with code ${code}: ${printed}`));
    });
  });
}

const call = <Response>(send: (reply: (error: Error | null, response: Response) => void) => void): Promise<Response> =>
  new Promise((resolve, reject) => {
    send((error, response) => {
      if (error) reject(error);
      else resolve(response);
    });
  });
