import { spawn } from "node:child_process";
import * as fs from "node:fs";
import * as path from "node:path";
import { goPartFolder } from "./build/go";
import { helmProgram, kubectlProgram } from "./build/npm";
import { deadline } from "./lib/deadline";
import { killTree } from "./lib/process-tree";
import { logFolder, runFolder } from "./lib/sandbox";

const projectFolder = path.resolve(__dirname, "..", "..", "..");
const standInsFolder = path.resolve(__dirname, "..", "stand-ins");

/** What a project is made of; tests, documents and generated folders stay behind. */
const projectEntries = [
  "Pulumi.yaml",
  "charts",
  "components",
  "config",
  "core",
  "examples",
  "index.ts",
  "monitoring",
  "package.json",
  "policies",
  "tools",
  "tsconfig.json",
];

export interface PulumiResult {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
  readonly seconds: number;
}

/** A command of the CLI that failed or ran out of time. */
export class PulumiError extends Error {
  constructor(
    command: string,
    readonly result: PulumiResult,
  ) {
    const output = `${result.stdout}\n${result.stderr}`.trim();
    super(
      `pulumi ${command} exited with ${String(result.code)} after ${result.seconds.toFixed(1)} s\n${output.slice(-6000)}`,
    );
  }
}

/** A command on its way. */
export interface RunningCommand {
  readonly result: Promise<PulumiResult>;
  /** What Ctrl-C does. */
  readonly interrupt: () => void;
  /** Kills the CLI with its plugins, as a machine that is switched off would. */
  readonly kill: () => void;
}

export interface CommandOptions {
  /** Default: 600. */
  readonly timeoutSeconds?: number;
  readonly env?: Readonly<Record<string, string>>;
}

export interface UpdateOptions extends CommandOptions {
  /** Folder of a policy pack, below the project. */
  readonly policyPack?: string;
  /** File of the policy pack's settings, below the project. */
  readonly policyPackConfig?: string;
  readonly args?: readonly string[];
}

export interface PreviewDocument {
  readonly steps: readonly { readonly op: string; readonly urn: string; readonly newState?: Record<string, unknown> }[];
  readonly changeSummary?: Readonly<Record<string, number>>;
}

/** The state of a stack as `pulumi stack export` writes it. */
export interface StackDeployment {
  readonly version: number;
  readonly deployment: {
    readonly resources?: readonly {
      readonly urn: string;
      readonly type: string;
      readonly id?: string;
      readonly [key: string]: unknown;
    }[];
    readonly pending_operations?: readonly { readonly type: string; readonly resource: { readonly urn: string } }[];
  };
}

/**
 * The real Pulumi CLI on a copy of the project, with a home, a backend and plugins of its own: the real Kubernetes provider,
 * and the stand-ins, found on PATH. Nothing of the user's own Pulumi is read or changed.
 */
export class PulumiProject {
  private constructor(
    /** Folder of the copy, with the program and its stack files. */
    readonly folder: string,
    /** Variables of every command. */
    readonly environment: NodeJS.ProcessEnv,
    private readonly logFile: string,
  ) {}

  /**
   * Copies the project to a folder of the run.
   *
   * @param name of the copy, for tests that need several.
   * @param variables for every command, such as those of the stand-ins.
   */
  static copy(name = "project", variables: Readonly<Record<string, string>> = {}): PulumiProject {
    const home = runFolder("pulumi", name);
    const folder = path.join(home, "program");
    for (const entry of fs.readdirSync(projectFolder).filter((name) => projectEntries.includes(name))) {
      fs.cpSync(path.join(projectFolder, entry), path.join(folder, entry), {
        recursive: true,
        filter: (source) => path.basename(source) !== "node_modules",
      });
    }
    // A link, not a copy: Node.js resolves it, so packages are found at one place alone.
    fs.symlinkSync(path.join(projectFolder, "node_modules"), path.join(folder, "node_modules"));
    for (const below of ["backend", "home"]) fs.mkdirSync(path.join(home, below), { recursive: true });
    const programs = [
      goPartFolder("pulumi"),
      goPartFolder("kubernetes-provider"),
      standInsFolder,
      path.dirname(kubectlProgram()),
      path.dirname(helmProgram()),
    ];
    const environment = {
      ...withoutCloudVariables(process.env),
      PATH: [...programs, process.env["PATH"]].join(":"),
      PULUMI_BACKEND_URL: `file://${path.join(home, "backend")}`,
      PULUMI_CONFIG_PASSPHRASE: "end-to-end",
      // The type check is a test of its own, and takes most of a preview's time.
      PULUMI_NODEJS_TRANSPILE_ONLY: "true",
      PULUMI_HOME: path.join(home, "home"),
      PULUMI_SKIP_UPDATE_CHECK: "true",
      PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION: "true",
      PULUMI_SKIP_CONFIRMATIONS: "true",
      ...variables,
    };
    return new PulumiProject(folder, environment, path.join(logFolder(), `pulumi-${name}.log`));
  }

  /** Makes a stack, with `Pulumi.<stack>.yaml` as its settings when given. */
  async stackInit(stack: string, settings?: string): Promise<void> {
    if (settings !== undefined) this.writeStackFile(stack, settings);
    await this.run(["stack", "init", stack]);
  }

  writeStackFile(stack: string, settings: string): void {
    fs.writeFileSync(this.stackFile(stack), settings);
  }

  stackFile(stack: string): string {
    return path.join(this.folder, `Pulumi.${stack}.yaml`);
  }

  preview(stack: string, options: UpdateOptions = {}): Promise<PulumiResult> {
    return this.run(["preview", "--stack", stack, "--diff", ...updateArgs(options)], options);
  }

  /** `pulumi preview --json`. */
  async previewJson(stack: string, options: UpdateOptions = {}): Promise<PreviewDocument> {
    const { stdout } = await this.run(["preview", "--stack", stack, "--json", ...updateArgs(options)], options);
    return JSON.parse(stdout) as PreviewDocument;
  }

  up(stack: string, options: UpdateOptions = {}): Promise<PulumiResult> {
    return this.run(["up", "--stack", stack, "--yes", "--skip-preview", ...updateArgs(options)], options);
  }

  refresh(stack: string, options: UpdateOptions = {}): Promise<PulumiResult> {
    return this.run(["refresh", "--stack", stack, "--yes", "--skip-preview", ...(options.args ?? [])], options);
  }

  destroy(stack: string, options: UpdateOptions = {}): Promise<PulumiResult> {
    return this.run(["destroy", "--stack", stack, "--yes", "--skip-preview", ...(options.args ?? [])], options);
  }

  async export(stack: string): Promise<StackDeployment> {
    const { stdout } = await this.run(["stack", "export", "--stack", stack]);
    return JSON.parse(stdout) as StackDeployment;
  }

  /** Outputs of a stack; secret ones are shown only with `showSecrets`. */
  async outputs(stack: string, showSecrets = false): Promise<Record<string, unknown>> {
    const secrets = showSecrets ? ["--show-secrets"] : [];
    const { stdout } = await this.run(["stack", "output", "--stack", stack, "--json", ...secrets]);
    return JSON.parse(stdout) as Record<string, unknown>;
  }

  /** Runs a command; fails with what it wrote when it exits with another code than 0. */
  async run(args: readonly string[], options: CommandOptions = {}): Promise<PulumiResult> {
    const result = await this.tryRun(args, options);
    if (result.code !== 0) throw new PulumiError(args.join(" "), result);
    return result;
  }

  /** Runs a command and returns what it wrote, whatever its exit code; -1 after a time-out or a signal. */
  tryRun(args: readonly string[], options: CommandOptions = {}): Promise<PulumiResult> {
    return this.start(args, options).result;
  }

  /** Starts a command, for a test that interrupts or kills it. */
  start(args: readonly string[], options: CommandOptions = {}): RunningCommand {
    const { env = {} } = options;
    const timeoutMs = deadline((options.timeoutSeconds ?? 600) * 1000);
    const started = Date.now();
    const child = spawn("pulumi", ["--non-interactive", "--color", "never", ...args], {
      cwd: this.folder,
      env: { ...this.environment, ...env },
      stdio: ["ignore", "pipe", "pipe"],
      // A group of its own: a Ctrl-C on the terminal is for the test, which then ends the command.
      detached: true,
    });
    const kill = (): void => {
      if (child.pid !== undefined && child.exitCode === null && child.signalCode === null) killTree(child.pid);
    };
    let stdout = "";
    let stderr = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
    child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
    const result = new Promise<PulumiResult>((resolve, reject) => {
      const timer = setTimeout(() => {
        stderr += `\nended after ${String(timeoutMs / 1000)} s\n`;
        kill();
      }, timeoutMs);
      child.once("error", (error) => {
        clearTimeout(timer);
        reject(new Error(`pulumi could not be started: ${error.message}`));
      });
      child.once("close", (code) => {
        clearTimeout(timer);
        const seconds = (Date.now() - started) / 1000;
        const title = `$ pulumi ${args.join(" ")}  # exit code ${String(code)}, ${seconds.toFixed(1)} s`;
        fs.appendFileSync(this.logFile, `${title}\n${stdout}${stderr}\n`);
        resolve({ code: code ?? -1, stdout, stderr, seconds });
      });
    });
    return { result, interrupt: () => void child.kill("SIGINT"), kill };
  }
}

const updateArgs = ({ policyPack, policyPackConfig, args = [] }: UpdateOptions): string[] => [
  ...(policyPack === undefined ? [] : ["--policy-pack", policyPack]),
  ...(policyPackConfig === undefined ? [] : ["--policy-pack-config", policyPackConfig]),
  ...args,
];

/** No variable of the user's own clouds, clusters or Pulumi reaches a test. */
function withoutCloudVariables(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const foreign = /^(ARM_|AZURE_|PULUMI_|KUBECONFIG$|HELM_)/;
  return Object.fromEntries(Object.entries(environment).filter(([name]) => !foreign.test(name)));
}
