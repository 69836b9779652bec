import { CallbackInvokeRequest, type Callback } from "@pulumi/pulumi/proto/callback_pb";
import { CallbacksClient } from "@pulumi/pulumi/proto/callback_grpc_pb";
import {
  type RegisterResourceRequest,
  TransformInvokeOptions,
  TransformInvokeRequest,
  TransformInvokeResponse,
  TransformRequest,
  TransformResourceOptions,
  TransformResponse,
  type ResourceInvokeRequest,
} from "@pulumi/pulumi/proto/resource_pb";
import { credentials } from "@grpc/grpc-js";
import { Struct } from "google-protobuf/google/protobuf/struct_pb";
import { type ResourceOptions } from "./recording";

/** The options of a registration in the form that transforms take and give back. */
export function requestedOptions(request: RegisterResourceRequest): TransformResourceOptions {
  const options = new TransformResourceOptions();
  options.setDependsOnList(request.getDependenciesList());
  if (request.hasProtect()) options.setProtect(request.getProtect() ?? false);
  if (request.hasRetainondelete()) options.setRetainOnDelete(request.getRetainondelete() ?? false);
  if (request.getDeletebeforereplacedefined()) options.setDeleteBeforeReplace(request.getDeletebeforereplace());
  options.setIgnoreChangesList(request.getIgnorechangesList());
  options.setReplaceOnChangesList(request.getReplaceonchangesList());
  options.setVersion(request.getVersion());
  options.setAliasesList(request.getAliasesList());
  options.setProvider(request.getProvider());
  options.setCustomTimeouts(request.getCustomtimeouts());
  options.setPluginDownloadUrl(request.getPlugindownloadurl());
  options.setDeletedWith(request.getDeletedwith());
  options.setAdditionalSecretOutputsList(request.getAdditionalsecretoutputsList());
  options.setHooks(request.getHooks());
  options.setImport(request.getImportid());
  options.setHideDiffList(request.getHidediffsList());
  options.setReplaceWithList(request.getReplaceWithList());
  for (const [name, provider] of request.getProvidersMap().entries()) options.getProvidersMap().set(name, provider);
  return options;
}

/** The options that are set, by the names a program uses. */
export function readableOptions(options: TransformResourceOptions): ResourceOptions {
  const timeouts = given({
    create: options.getCustomTimeouts()?.getCreate() ?? "",
    update: options.getCustomTimeouts()?.getUpdate() ?? "",
    delete: options.getCustomTimeouts()?.getDelete() ?? "",
    read: options.getCustomTimeouts()?.getRead() ?? "",
  });
  const hooks = options.getHooks();
  const all: ResourceOptions = {
    ...(options.hasProtect() && { protect: options.getProtect() ?? false }),
    ...(options.hasRetainOnDelete() && { retainOnDelete: options.getRetainOnDelete() ?? false }),
    ...(options.hasDeleteBeforeReplace() && { deleteBeforeReplace: options.getDeleteBeforeReplace() ?? false }),
    ignoreChanges: options.getIgnoreChangesList(),
    replaceOnChanges: options.getReplaceOnChangesList(),
    additionalSecretOutputs: options.getAdditionalSecretOutputsList(),
    hideDiffs: options.getHideDiffList(),
    deletedWith: options.getDeletedWith(),
    replaceWith: options.getReplaceWithList(),
    customTimeouts: timeouts,
    import: options.getImport(),
    version: options.getVersion(),
    pluginDownloadURL: options.getPluginDownloadUrl(),
    hooks: given({
      beforeCreate: hooks?.getBeforeCreateList() ?? [],
      afterCreate: hooks?.getAfterCreateList() ?? [],
      beforeUpdate: hooks?.getBeforeUpdateList() ?? [],
      afterUpdate: hooks?.getAfterUpdateList() ?? [],
      beforeDelete: hooks?.getBeforeDeleteList() ?? [],
      afterDelete: hooks?.getAfterDeleteList() ?? [],
      onError: hooks?.getOnErrorList() ?? [],
    }),
  };
  return given(all);
}

/** Without what protobuf sends for "not set": empty texts, lists and objects. */
function given<T extends object>(fields: T): T {
  const isSet = (value: unknown) =>
    typeof value === "boolean" ||
    (typeof value === "object" && value !== null ? Object.keys(value).length > 0 : !!value);
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => isSet(value))) as T;
}

/** Lets the program's own transforms change the properties and options of a registration, one after the other. */
export async function transformed(
  request: RegisterResourceRequest,
  transforms: readonly Callback[],
): Promise<{ properties: Struct; options: TransformResourceOptions }> {
  let properties = request.getObject() ?? new Struct();
  let options = requestedOptions(request);
  for (const transform of transforms) {
    const question = new TransformRequest();
    question.setType(request.getType());
    question.setName(request.getName());
    question.setCustom(request.getCustom());
    question.setParent(request.getParent());
    question.setProperties(properties);
    question.setOptions(options);
    const answer = TransformResponse.deserializeBinary(await callBack(transform, question.serializeBinary()));
    properties = answer.getProperties() ?? properties;
    options = answer.getOptions() ?? options;
  }
  return { properties, options };
}

/** The same for the arguments of provider functions. */
export async function transformedArguments(
  request: ResourceInvokeRequest,
  transforms: readonly Callback[],
): Promise<Struct> {
  let args = request.getArgs() ?? new Struct();
  let options = new TransformInvokeOptions();
  options.setProvider(request.getProvider());
  options.setVersion(request.getVersion());
  options.setPluginDownloadUrl(request.getPlugindownloadurl());
  for (const transform of transforms) {
    const question = new TransformInvokeRequest();
    question.setToken(request.getTok());
    question.setArgs(args);
    question.setOptions(options);
    const answer = TransformInvokeResponse.deserializeBinary(await callBack(transform, question.serializeBinary()));
    args = answer.getArgs() ?? args;
    options = answer.getOptions() ?? options;
  }
  return args;
}

/** Calls a function that lives in the program's process. */
function callBack(callback: Callback, request: Uint8Array): Promise<Uint8Array> {
  const client = new CallbacksClient(callback.getTarget(), credentials.createInsecure());
  const question = new CallbackInvokeRequest();
  question.setToken(callback.getToken());
  question.setRequest(request);
  return new Promise<Uint8Array>((resolve, reject) => {
    client.invoke(question, (error, response) => {
      client.close();
      if (error) reject(new Error(error.details));
      else resolve(response.getResponse_asU8());
    });
  });
}
