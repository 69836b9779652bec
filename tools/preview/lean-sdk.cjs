"use strict";
/**
 * Makes Pulumi's SDK start and run in half the time, for programs whose engine is the embedded one. What a program
 * registers stays the same, but for the aliases below, which that engine does not look at.
 */
const Module = require("node:module");
const path = require("node:path");

const sdk = `${path.sep}@pulumi${path.sep}pulumi${path.sep}`;

/** Packages that the SDK loads at once but uses only to serialise functions into the cloud, or to send traces. */
const deferred = /^(@npmcli\/arborist|typescript|@opentelemetry\/(?!api$).*)$/;

const load = Module._load;
Module._load = function (request, parent, isMain) {
  const now = () => load.call(this, request, parent, isMain);
  if (!parent?.filename?.includes(sdk)) return now();
  if (deferred.test(request)) return new Proxy({}, { get: (_, name) => name === "__esModule" || now()[name] });
  const loaded = now();
  if (/(^|\/)log$/.test(request)) withoutDebugMessages(loaded);
  if (/(^|\/)resource$/.test(request)) withoutFormerTypes(loaded);
  return loaded;
};

const done = new WeakSet();

/** The SDK sends every debug message to the engine, one after the other, and the engine drops them. */
function withoutDebugMessages(log) {
  if (typeof log.debug !== "function" || done.has(log)) return;
  done.add(log);
  log.debug = () => Promise.resolve();
}

/**
 * Each class of azure-native adds up to a hundred aliases, one for each former version of its type, as an options object
 * that holds nothing else. They find resources of an older stack; here is none.
 */
function withoutFormerTypes(resource) {
  const merge = resource.mergeOptions;
  if (typeof merge !== "function" || done.has(resource)) return;
  done.add(resource);
  const isFormerType = (alias) => Object.keys(alias).join() === "type";
  const onlyFormerTypes = (options) =>
    Object.keys(options ?? {}).join() === "aliases" && options.aliases.every(isFormerType);
  resource.mergeOptions = (first, second) => merge(first, onlyFormerTypes(second) ? {} : second);
}

/** The SDK takes a stack for each of its thousands of promises, to show when it is asked to debug leaks. */
const prepare = Error.prepareStackTrace;
Error.prepareStackTrace = (error, frames) => {
  if (frames[0]?.getFunctionName() === "debuggablePromise") return "";
  return prepare === undefined ? [error, ...frames].join("\n    at ") : prepare(error, frames);
};
