"use strict";
/**
 * Makes Pulumi's SDK start and run in half the time, for programs whose engine is the embedded one. What a program
 * registers stays the same, but for the aliases below, which that engine does not look at.
 */
const Module = require("node:module");
const path = require("node:path");

const sdk = `${path.sep}@pulumi${path.sep}pulumi${path.sep}`;

/** What the SDK loads at once but uses only to serialise functions into the cloud, send traces, or drive other stacks. */
const deferred =
  /^(@npmcli\/arborist|fdir|normalize-package-data|typescript|@opentelemetry\/(?!api$).*|\.\/automation)$/;

const load = Module._load;
Module._load = function (request, parent, isMain) {
  const now = () => load.call(this, request, parent, isMain);
  if (!parent?.filename?.includes(sdk)) return now();
  if (deferred.test(request)) return onUse(now);
  const loaded = now();
  if (/(^|\/)log$/.test(request)) withoutDebugMessages(loaded);
  if (/(^|\/)resource$/.test(request)) withoutFormerTypes(loaded);
  return loaded;
};

/** A module that loads when something of it is read. Looks like a compiled one, so that compiled code takes it as it is. */
function onUse(now) {
  const read = (name) => now()[name] ?? (name === "default" ? now() : undefined);
  return new Proxy({}, { get: (_, name) => name === "__esModule" || read(name) });
}

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

/**
 * The SDK takes a stack for each of its thousands of promises, to show when it is asked to debug leaks, and for each
 * resource, to tell the engine its line, which the embedded one does not ask. The first goes, the second stays plain.
 */
const prepare = Error.prepareStackTrace;
Error.prepareStackTrace = (error, frames) => {
  if (frames[0]?.getFunctionName() === "debuggablePromise") return "";
  const isError = error instanceof Error;
  return prepare !== undefined && isError ? prepare(error, frames) : [String(error), ...frames].join("\n    at ");
};
