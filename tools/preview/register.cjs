"use strict";
/**
 * Lets Node.js load TypeScript files, as `ts-node/register/transpile-only` does, and keeps what was transpiled once in
 * `node_modules/.cache`: loading TypeScript and transpiling a hundred files takes longer than all else that a preview
 * does, and unchanged files need neither.
 *
 * A plain JavaScript file, because it is what makes the others loadable: `node -r ./tools/preview/register.cjs FILE.ts`.
 */
const { createHash } = require("node:crypto");
const fs = require("node:fs");
const Module = require("node:module");
const path = require("node:path");
const v8 = require("node:v8");

const project = path.resolve(__dirname, "../..");
const tsconfigFile = path.join(project, "tsconfig.json");
const cacheFolder = path.join(project, "node_modules/.cache/triton-azure/transpiled");

const hash = (...parts) => createHash("sha256").update(parts.join("\0")).digest("hex").slice(0, 32);

/** Whatever changes the output besides the source: options, compiler, this file. */
const setting = hash(
  fs.readFileSync(tsconfigFile, "utf8"),
  JSON.parse(fs.readFileSync(require.resolve("typescript/package.json"), "utf8")).version,
  fs.readFileSync(__filename, "utf8"),
);

const transpiled = new Map();

function compile(module, file) {
  const code = codeOf(file);
  transpiled.set(file, code);
  module._compile(code, file);
}

/** What a TypeScript file becomes: from the cache, or made and kept. */
function codeOf(file) {
  const source = fs.readFileSync(file, "utf8");
  const mark = `\n//# key=${hash(setting, file, source)}`;
  const cached = path.join(cacheFolder, `${hash(file)}.js`);
  const known = readIfThere(cached);
  if (known?.endsWith(mark)) return known;
  const code = transpile(file, source) + mark;
  keep(cached, code);
  return code;
}

/**
 * Fills the cache with files that this or another process is about to load. Gives way to everything else in this process
 * after each file.
 */
async function transpileAhead(files) {
  for (const file of files) {
    await new Promise((resolve) => setImmediate(resolve));
    try {
      codeOf(file);
    } catch {
      // Whoever loads the file says what is wrong with it.
    }
  }
}
exports.transpileAhead = transpileAhead;

function readIfThere(file) {
  try {
    return fs.readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
}

/** Several processes may do this at once, so the file appears whole. Without a writable folder there is no cache. */
function keep(file, code) {
  const draft = `${file}.${process.pid}`;
  try {
    fs.mkdirSync(cacheFolder, { recursive: true });
    fs.writeFileSync(draft, code);
    fs.renameSync(draft, file);
  } catch {
    fs.rmSync(draft, { force: true });
  }
}

function transpile(file, source) {
  // For a hundred files, optimising the code of TypeScript takes longer than it saves.
  v8.setFlagsFromString("--no-opt");
  const ts = require("typescript");
  const { config } = ts.readConfigFile(tsconfigFile, ts.sys.readFile);
  const { options } = ts.convertCompilerOptionsFromJson(config.compilerOptions, project);
  const { outputText, diagnostics } = ts.transpileModule(source, {
    fileName: file,
    reportDiagnostics: true,
    compilerOptions: { ...options, noEmit: false, inlineSourceMap: true },
  });
  if (diagnostics.length > 0) {
    const host = { getCanonicalFileName: (name) => name, getCurrentDirectory: () => project, getNewLine: () => "\n" };
    const error = new SyntaxError(ts.formatDiagnostics(diagnostics, host).trimEnd());
    error.stack = `${error.name}: ${error.message}`;
    throw error;
  }
  return outputText;
}

Module._extensions[".ts"] = compile;

/**
 * Error stacks name lines of the TypeScript files, through the library that Pulumi's program runner brings along. Only
 * of those: it would read a source map for every file of Pulumi's SDK.
 */
Module.createRequire(require.resolve("@pulumi/pulumi/package.json"))("source-map-support").install({
  environment: "node",
  handleUncaughtExceptions: false,
  overrideRetrieveSourceMap: true,
  retrieveSourceMap(file) {
    const encoded = /\/\/# sourceMappingURL=data:application\/json;base64,(\S+)/.exec(transpiled.get(file) ?? "")?.[1];
    return encoded === undefined ? null : { url: file, map: Buffer.from(encoded, "base64").toString("utf8") };
  },
});

require("./lean-sdk.cjs");

// Node.js 22 and later keep compiled machine code as well.
Module.enableCompileCache?.(path.join(cacheFolder, "../compiled"));
