import type { Policies, ResourceValidationPolicy, StackValidationPolicy } from "@pulumi/policy";
import * as policyServer from "@pulumi/policy/server";
import {
  type AnalyzeDiagnostic,
  AnalyzeRequest,
  AnalyzerPropertyDependencies,
  type AnalyzeResponse,
  AnalyzerResource,
  AnalyzerResourceOptions,
  AnalyzeStackRequest,
  EnforcementLevel,
} from "@pulumi/pulumi/proto/analyzer_pb";
import { type JavaScriptValue, Struct } from "google-protobuf/google/protobuf/struct_pb";

/** A resource as a policy pack gets it from the engine. */
export interface Fixture {
  type: string;
  /** Logical name; default `it`. */
  name?: string;
  /** Inputs, or for stack policies outputs; `secret(…)` and `unknown` of this folder mark values. */
  props: Record<string, unknown>;
  protect?: boolean;
  ignoreChanges?: string[];
  /** Names of the fixtures that it depends on. */
  dependencies?: string[];
  /** Names of the fixtures that the value of a property comes from. */
  from?: Record<string, string[]>;
}

/** What a policy has to say. */
export interface Verdict {
  level: "advisory" | "mandatory";
  /** Without the description of the policy, which Pulumi puts before each. */
  message: string;
  /** Name of the resource; undefined for a resource policy, and for the stack as a whole. */
  name: string | undefined;
}

type Policy = Policies[number];
type Reply<Response> = (error: Error | null, response?: Response) => void;
type MakeRpc<Request, Response> = (
  pack: string,
  version: string,
  level: string,
  policies: Policies,
) => (call: { request: Request }, reply: Reply<Response>) => void;

/** The server of `@pulumi/policy`, whose typings leave everything out. */
const server = policyServer as unknown as {
  makeAnalyzeRpcFun: MakeRpc<AnalyzeRequest, AnalyzeResponse>;
  makeAnalyzeStackRpcFun: MakeRpc<AnalyzeStackRequest, AnalyzeResponse>;
};

/**
 * Runs one policy over resources by Pulumi's own policy server: a resource policy over each, a stack policy over all.
 *
 * @param settings what the policy's part of a settings file holds
 */
export async function verdicts(
  policy: Policy,
  fixtures: readonly Fixture[],
  settings: Record<string, unknown> = {},
): Promise<Verdict[]> {
  const configured = withSettings(policy, settings);
  if ("validateStack" in configured) {
    const analyze = server.makeAnalyzeStackRpcFun("pack", "0.0.0", "mandatory", [configured]);
    return toVerdicts(configured, await ask(analyze, stackRequest(fixtures)));
  }
  const analyze = server.makeAnalyzeRpcFun("pack", "0.0.0", "mandatory", [configured]);
  const responses = await Promise.all(fixtures.map((fixture) => ask(analyze, resourceRequest(fixture))));
  return responses.flatMap((response) => toVerdicts(configured, response));
}

/** Pulumi keeps settings in the server; the tests give each policy its own. */
function withSettings(
  policy: Policy,
  settings: Record<string, unknown>,
): ResourceValidationPolicy | StackValidationPolicy {
  const getConfig = <T extends object>() => settings as T;
  if ("validateStack" in policy) {
    return { ...policy, validateStack: (args, report) => policy.validateStack({ ...args, getConfig }, report) };
  }
  const { validateResource } = policy;
  if (typeof validateResource !== "function") throw new Error(`${policy.name} validates nothing`);
  return { ...policy, validateResource: (args, report) => validateResource({ ...args, getConfig }, report) };
}

function ask<Request, Response>(
  rpc: (call: { request: Request }, reply: Reply<Response>) => void,
  request: Request,
): Promise<Response> {
  return new Promise((resolve, reject) => {
    rpc({ request }, (error, response) => {
      if (response === undefined || error) reject(error ?? new Error("no response"));
      else resolve(response);
    });
  });
}

export const urnOf = ({ type, name = "it" }: Pick<Fixture, "type" | "name">): string =>
  `urn:pulumi:dev::triton-azure::${type}::${name}`;

export function resourceRequest(fixture: Fixture): AnalyzeRequest {
  const request = new AnalyzeRequest();
  request.setType(fixture.type);
  request.setUrn(urnOf(fixture));
  request.setName(fixture.name ?? "it");
  request.setOptions(optionsOf(fixture));
  request.setProperties(Struct.fromJavaScript(fixture.props as Record<string, JavaScriptValue>));
  return request;
}

function stackRequest(fixtures: readonly Fixture[]): AnalyzeStackRequest {
  const urns = new Map(fixtures.map((fixture) => [fixture.name ?? "it", urnOf(fixture)]));
  const urnsOf = (names: readonly string[] = []) =>
    names.map((name) => {
      const urn = urns.get(name);
      if (urn === undefined) throw new Error(`no fixture is named ${name}`);
      return urn;
    });
  const request = new AnalyzeStackRequest();
  request.setResourcesList(
    fixtures.map((fixture) => {
      const resource = new AnalyzerResource();
      resource.setType(fixture.type);
      resource.setUrn(urnOf(fixture));
      resource.setName(fixture.name ?? "it");
      resource.setOptions(optionsOf(fixture));
      resource.setProperties(Struct.fromJavaScript(fixture.props as Record<string, JavaScriptValue>));
      resource.setDependenciesList(urnsOf(fixture.dependencies));
      for (const [property, names] of Object.entries(fixture.from ?? {})) {
        const dependencies = new AnalyzerPropertyDependencies();
        dependencies.setUrnsList(urnsOf(names));
        resource.getPropertydependenciesMap().set(property, dependencies);
      }
      return resource;
    }),
  );
  return request;
}

function optionsOf({ protect = false, ignoreChanges = [] }: Fixture): AnalyzerResourceOptions {
  const options = new AnalyzerResourceOptions();
  options.setProtect(protect);
  options.setIgnorechangesList(ignoreChanges);
  return options;
}

const toVerdicts = ({ description }: Policy, response: AnalyzeResponse): Verdict[] =>
  response.getDiagnosticsList().map((diagnostic: AnalyzeDiagnostic) => ({
    level: diagnostic.getEnforcementlevel() === EnforcementLevel.ADVISORY ? "advisory" : "mandatory",
    message: diagnostic.getMessage().replace(`${description}\n`, ""),
    name: diagnostic.getUrn() === "" ? undefined : diagnostic.getUrn().split("::").at(-1),
  }));
