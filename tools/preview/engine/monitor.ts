import { status, type handleUnaryCall } from "@grpc/grpc-js";
import { type Callback } from "@pulumi/pulumi/proto/callback_pb";
import { CallResponse, InvokeResponse } from "@pulumi/pulumi/proto/provider_pb";
import { type IResourceMonitorServer } from "@pulumi/pulumi/proto/resource_grpc_pb";
import {
  ReadResourceResponse,
  type ReadResourceRequest,
  RegisterPackageResponse,
  RegisterResourceResponse,
  type RegisterResourceRequest,
  type ResourceInvokeRequest,
  SupportsFeatureResponse,
} from "@pulumi/pulumi/proto/resource_pb";
import { Empty } from "google-protobuf/google/protobuf/empty_pb";
import { Struct } from "google-protobuf/google/protobuf/struct_pb";
import { readableOptions, transformed, transformedArguments } from "./options";
import { outputsOf, withSecrets } from "./outputs";
import { compare, type Recording, type Resource, stackType } from "./recording";
import { type StandIn } from "./stand-in";
import { plain, type Properties, unknownText, withoutOutputValues } from "./values";

export interface Deployment {
  project: string;
  stack: string;
  dryRun: boolean;
  standIn: StandIn;
  /** Called after each registered resource. */
  onResource?: (resource: Resource) => void;
  /** Called when the SDK has started up and turns to the program. */
  onRunning?: () => void;
}

/** Answers an RPC with what an async function returns; what it throws becomes the program's error. */
function answering<Request, Response>(
  work: (request: Request) => Response | Promise<Response>,
): handleUnaryCall<Request, Response> {
  return (call, callback) => {
    Promise.resolve(call.request)
      .then(work)
      .then(
        (response) => {
          callback(null, response);
        },
        (error: unknown) => {
          callback({ code: status.UNKNOWN, details: error instanceof Error ? error.message : String(error) });
        },
      );
  };
}

const fromStruct = (struct: Struct | undefined): Properties => struct?.toJavaScript() ?? {};
const toStruct = (properties: Properties): Struct => Struct.fromJavaScript(properties);

/**
 * The resource monitor of the embedded engine: takes the registrations of one program run and writes them into
 * `recording`. It creates nothing. What a real deployment would compute comes from the stand-in; in a dry run it is
 * unknown, as in `pulumi preview`.
 */
export function resourceMonitor(deployment: Deployment, recording: Recording): IResourceMonitorServer {
  const { project, stack, dryRun, standIn } = deployment;
  const claimed = new Set<string>();
  const stackTransforms: Callback[] = [];
  const invokeTransforms: Callback[] = [];
  const transformsBelow = new Map<string, Callback[]>();
  const parents = new Map<string, string>();

  function urnOf(type: string, name: string, parent: string): string {
    const parentTypes = parent.split("::")[2] ?? "";
    const types = parent === "" || parentTypes === stackType ? type : `${parentTypes}$${type}`;
    return `urn:pulumi:${stack}::${project}::${types}::${name}`;
  }

  /** The provider that the engine makes for a package when the program names none. */
  function providerOf(explicit: string, type: string, version: string): string {
    if (explicit !== "" || type.startsWith("pulumi:")) return explicit;
    const [pkg = ""] = type.split(":");
    const name = version === "" ? "default" : `default_${version.replace(/[.+-]/g, "_")}`;
    return `${urnOf(`pulumi:providers:${pkg}`, name, "")}::${unknownText}`;
  }

  /** A resource's own transforms come first, then those of its parents upwards, then those of the stack. */
  function transformsFor(request: RegisterResourceRequest): Callback[] {
    const found = [...request.getTransformsList()];
    for (let parent: string = request.getParent(); parent !== ""; parent = parents.get(parent) ?? "") {
      found.push(...(transformsBelow.get(parent) ?? []));
    }
    return request.getType() === stackType ? found : [...found, ...stackTransforms];
  }

  async function registerResource(request: RegisterResourceRequest): Promise<RegisterResourceResponse> {
    const type = request.getType();
    const name = request.getName();
    const parent = request.getParent();
    const urn = urnOf(type, name, parent);
    if (claimed.has(urn)) throw new Error(`Duplicate resource URN '${urn}'; try giving it a unique name`);
    claimed.add(urn);
    parents.set(urn, parent);
    transformsBelow.set(urn, request.getTransformsList());

    const { properties, options } = await transformed(request, transformsFor(request));
    const dependencies = new Set(options.getDependsOnList());
    const propertyDependencies = new Map<string, Set<string>>();
    for (const [key, urns] of request.getPropertydependenciesMap().entries()) {
      propertyDependencies.set(key, new Set(urns.getUrnsList()));
    }
    const wireInputs: Properties = {};
    for (const [key, value] of Object.entries(fromStruct(properties))) {
      const found = propertyDependencies.get(key) ?? new Set<string>();
      wireInputs[key] = withoutOutputValues(value, found);
      propertyDependencies.set(key, found);
      for (const dependency of found) dependencies.add(dependency);
    }

    const custom = request.getCustom();
    const inputs = plain(wireInputs);
    const created = { urn, type, name, inputs };
    const id = custom && !dryRun ? standIn.id(created) : "";
    const wireOutputs = custom
      ? withSecrets(outputsOf(wireInputs, standIn.computed(created), dryRun), options.getAdditionalSecretOutputsList())
      : {};
    const resource: Resource = {
      urn,
      type,
      name,
      parent,
      custom,
      remote: request.getRemote(),
      read: false,
      provider: custom ? providerOf(options.getProvider(), type, options.getVersion()) : options.getProvider(),
      providers: Object.fromEntries(options.getProvidersMap().entries()),
      dependencies: [...dependencies].sort(),
      propertyDependencies: sortedDependencies(propertyDependencies),
      options: readableOptions(options),
      wireInputs,
      inputs,
      id,
      wireOutputs,
      outputs: plain(wireOutputs),
    };
    recording.resources.push(resource);
    deployment.onResource?.(resource);

    const response = new RegisterResourceResponse();
    response.setUrn(urn);
    response.setId(id);
    response.setObject(toStruct(custom ? wireOutputs : wireInputs));
    return response;
  }

  function readResource(request: ReadResourceRequest): ReadResourceResponse {
    const type = request.getType();
    const name = request.getName();
    const urn = urnOf(type, name, request.getParent());
    const wireInputs = withoutOutputValues(fromStruct(request.getProperties())) as Properties;
    const inputs = plain(wireInputs);
    const created = { urn, type, name, inputs };
    const wireOutputs =
      type === "pulumi:pulumi:StackReference"
        ? referencedStack(name)
        : outputsOf(wireInputs, standIn.computed(created), dryRun);
    const dependencies = [...request.getDependenciesList()].sort();
    recording.resources.push({
      ...{ urn, type, name, parent: request.getParent(), custom: true, remote: false, read: true },
      ...{ provider: providerOf(request.getProvider(), type, request.getVersion()), providers: {} },
      ...{ dependencies, propertyDependencies: {}, options: {} },
      ...{ wireInputs, inputs, id: request.getId(), wireOutputs, outputs: plain(wireOutputs) },
    });
    const response = new ReadResourceResponse();
    response.setUrn(urn);
    response.setProperties(toStruct(wireOutputs));
    return response;
  }

  function referencedStack(name: string): Properties {
    const outputs = standIn.stackOutputs(name);
    if (outputs === undefined && !dryRun) throw new Error(`the stand-in knows no stack ${name}`);
    return { name, outputs: outputs ?? unknownText, secretOutputNames: [] };
  }

  async function invoke(request: ResourceInvokeRequest): Promise<InvokeResponse> {
    const token = request.getTok();
    const args = fromStruct(await transformedArguments(request, invokeTransforms));
    recording.invocations.push({ token, args, provider: request.getProvider() });
    const response = new InvokeResponse();
    response.setReturn(toStruct(standIn.invoke(token, plain(args))));
    return response;
  }

  return {
    getDeploymentInfo: (_, callback) => {
      callback({ code: status.UNIMPLEMENTED });
    },
    supportsFeature: answering(() => {
      const response = new SupportsFeatureResponse();
      response.setHassupport(true);
      return response;
    }),
    registerResource: answering(registerResource),
    readResource: answering(readResource),
    registerResourceOutputs: answering((request) => {
      const resource = recording.resources.find((candidate) => candidate.urn === request.getUrn());
      if (resource === undefined)
        throw new Error(`outputs for a resource that was never registered: ${request.getUrn()}`);
      resource.wireOutputs = withoutOutputValues(fromStruct(request.getOutputs())) as Properties;
      resource.outputs = plain(resource.wireOutputs);
      return new Empty();
    }),
    invoke: answering(invoke),
    call: answering((request) => {
      const response = new CallResponse();
      response.setReturn(toStruct(standIn.invoke(request.getTok(), plain(fromStruct(request.getArgs())))));
      return response;
    }),
    registerStackTransform: answering((callback) => {
      stackTransforms.push(callback);
      return new Empty();
    }),
    registerStackInvokeTransform: answering((callback) => {
      invokeTransforms.push(callback);
      return new Empty();
    }),
    registerResourceHook: answering((request) => {
      recording.hooks.push(request.getName());
      return new Empty();
    }),
    registerErrorHook: answering((request) => {
      recording.hooks.push(request.getName());
      return new Empty();
    }),
    registerPackage: answering((request) => {
      const response = new RegisterPackageResponse();
      response.setRef(`${request.getName()}@${request.getVersion()}`);
      return response;
    }),
    signalAndWaitForShutdown: answering(() => new Empty()),
  };
}

function sortedDependencies(dependencies: ReadonlyMap<string, ReadonlySet<string>>): Record<string, string[]> {
  const found = [...dependencies].filter(([, urns]) => urns.size > 0).sort(([a], [b]) => compare(a, b));
  return Object.fromEntries(found.map(([key, urns]) => [key, [...urns].sort()]));
}
