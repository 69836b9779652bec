/**
 * Stand-in for pulumi-language-nodejs, whose program is in no package registry. It serves the part of the language runtime
 * protocol that running a program and a policy pack takes, and leaves both to the SDK's own launchers
 * (`@pulumi/pulumi/cmd/run` and `cmd/run-policy-pack`), as the real one does.
 */
import { spawn, type ChildProcess } from "node:child_process";
import { readFileSync } from "node:fs";
import * as grpc from "@grpc/grpc-js";
import { Empty } from "google-protobuf/google/protobuf/empty_pb";
import { LanguageRuntimeService } from "@pulumi/pulumi/proto/language_grpc_pb";
import * as language from "@pulumi/pulumi/proto/language_pb";
import { PluginInfo } from "@pulumi/pulumi/proto/plugin_pb";

/** Exit code of the SDK's launchers when they have told the user what is wrong already. */
const explainedFailure = 32;

/** Environment variables of this stand-in's own start, which must not reach the programs that it runs. */
const programEnvironment = (more: Record<string, string>): NodeJS.ProcessEnv => {
  const { TS_NODE_PROJECT: _, ...inherited } = process.env;
  return { ...inherited, ...more };
};

/** The CLI's engine: the last argument that is no flag. */
const engineAddress = process.argv
  .slice(2)
  .filter((argument) => !argument.startsWith("-"))
  .pop();

const sdkVersion = (): string =>
  (JSON.parse(readFileSync(require.resolve("@pulumi/pulumi/package.json"), "utf8")) as { version: string }).version;

/** Options of `runtime` in Pulumi.yaml, as the SDK's launcher wants them. */
function runtimeOptions(info: language.ProgramInfo): Record<string, string> {
  const options = (info.getOptions()?.toJavaScript() ?? {}) as { typescript?: boolean; tsconfig?: string };
  return {
    PULUMI_NODEJS_TYPESCRIPT: String(options.typescript ?? true),
    ...(options.tsconfig === undefined ? {} : { PULUMI_NODEJS_TSCONFIG_PATH: options.tsconfig }),
  };
}

const children = new Set<ChildProcess>();

function launch(args: readonly string[], cwd: string, env: NodeJS.ProcessEnv, stdio: "pipe" | "inherit"): ChildProcess {
  // Standard output is this plugin's channel to the CLI, so a program's own goes to standard error.
  const child = spawn(process.execPath, args, { cwd, env, stdio: stdio === "pipe" ? "pipe" : ["ignore", 2, 2] });
  children.add(child);
  child.once("exit", () => children.delete(child));
  return child;
}

function run(
  call: grpc.ServerUnaryCall<language.RunRequest, language.RunResponse>,
  respond: grpc.sendUnaryData<language.RunResponse>,
): void {
  const { request } = call;
  const info = request.getInfo();
  if (info === undefined) {
    respond({ code: grpc.status.INVALID_ARGUMENT, details: "the request names no program" });
    return;
  }
  const folder = info.getProgramDirectory();
  const launcher = require.resolve("@pulumi/pulumi/cmd/run", { paths: [folder] });
  const flags: Record<string, string> = {
    monitor: request.getMonitorAddress(),
    engine: engineAddress ?? "",
    organization: request.getOrganization(),
    project: request.getProject(),
    stack: request.getStack(),
    pwd: folder,
    "root-directory": info.getRootDirectory(),
    parallel: String(request.getParallel()),
  };
  const args = Object.entries(flags).flatMap(([flag, value]) => [`--${flag}`, value]);
  const dryRun = request.getDryrun() ? ["--dry-run"] : [];
  const environment = programEnvironment({
    ...runtimeOptions(info),
    PULUMI_CONFIG: JSON.stringify(Object.fromEntries(request.getConfigMap().getEntryList())),
    PULUMI_CONFIG_SECRET_KEYS: JSON.stringify(request.getConfigsecretkeysList()),
  });
  const child = launch([launcher, ...args, ...dryRun, info.getEntryPoint()], folder, environment, "inherit");
  child.once("exit", (code, signal) => {
    const response = new language.RunResponse();
    if (code === explainedFailure) response.setBail(true);
    else if (code !== 0) response.setError(`The program ended with ${signal ?? `exit code ${String(code)}`}.`);
    respond(null, response);
  });
}

function runPlugin(call: grpc.ServerWritableStream<language.RunPluginRequest, language.RunPluginResponse>): void {
  const { request } = call;
  const folder = request.getInfo()?.getProgramDirectory() ?? request.getPwd();
  const isPolicyPack = request.getKind() === "analyzer";
  const launcher = require.resolve(`@pulumi/pulumi/cmd/${isPolicyPack ? "run-policy-pack" : "run-plugin"}`, {
    paths: [folder],
  });
  // A policy pack's version is that of the package.json in its working directory; the request names another folder.
  const [args, cwd] = isPolicyPack
    ? [[launcher, ...request.getArgsList(), folder], folder]
    : [[launcher, ...request.getArgsList()], request.getPwd()];
  const variables = request.getEnvList().map((entry): [string, string] => {
    const split = entry.indexOf("=");
    return [entry.slice(0, split), entry.slice(split + 1)];
  });
  const child = launch(args, cwd, programEnvironment(Object.fromEntries(variables)), "pipe");
  const send = (fill: (response: language.RunPluginResponse) => void): void => {
    const response = new language.RunPluginResponse();
    fill(response);
    call.write(response);
  };
  child.stdout?.on("data", (data: Buffer) => {
    send((response) => {
      response.setStdout(data);
    });
  });
  child.stderr?.on("data", (data: Buffer) => {
    send((response) => {
      response.setStderr(data);
    });
  });
  child.once("close", (code) => {
    send((response) => {
      response.setExitcode(code ?? 1);
    });
    call.end();
  });
  call.once("cancelled", () => child.kill());
}

type Respond = (error: Partial<grpc.StatusObject> | null, response?: unknown) => void;

/** Methods with an empty answer: there is nothing to ask for or to install. */
const emptyAnswers: Record<string, () => unknown> = {
  handshake: () => new language.LanguageHandshakeResponse(),
  getRequiredPlugins: () => new language.GetRequiredPluginsResponse(),
  getRequiredPackages: () => new language.GetRequiredPackagesResponse(),
};

const methods: Record<string, unknown> = {
  run,
  runPlugin,
  getPluginInfo: (_: unknown, respond: Respond) => {
    const info = new PluginInfo();
    info.setVersion(sdkVersion());
    respond(null, info);
  },
  cancel: (_: unknown, respond: Respond) => {
    for (const child of children) child.kill();
    respond(null, new Empty());
  },
};
for (const [method, answer] of Object.entries(emptyAnswers)) {
  methods[method] = (_: unknown, respond: Respond) => {
    respond(null, answer());
  };
}
for (const method of Object.keys(LanguageRuntimeService)) {
  methods[method] ??= (_: unknown, respond?: Respond) => {
    respond?.({ code: grpc.status.UNIMPLEMENTED, details: `the stand-in for the language host has no ${method}` });
  };
}

const server = new grpc.Server({ "grpc.max_receive_message_length": -1, "grpc.max_send_message_length": -1 });
server.addService(LanguageRuntimeService, methods as unknown as grpc.UntypedServiceImplementation);
server.bindAsync("127.0.0.1:0", grpc.ServerCredentials.createInsecure(), (error, port) => {
  if (error) throw error;
  process.stdout.write(`${String(port)}\n`);
});
