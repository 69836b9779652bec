import { spawn } from "node:child_process";
import * as fs from "node:fs";
import * as path from "node:path";
import { cacheFolder } from "../build/cache";
import { removeLeftovers, sweepDeadRuns } from "./leftovers";

export interface EnterOptions {
  /** Keep the logs of a run that succeeds too. Default: false. */
  readonly keepLogs?: boolean;
}

/** Seconds between asking a run to end and killing all of it. */
const graceSeconds = 20;

/**
 * Runs a command in a sandbox: its own process, network, mount, host name and IPC namespaces. Whatever it starts there is
 * ended by the kernel when the command ends, and the sandbox's interfaces, firewall rules, ports and mounts go
 * with it; so nothing is left after a crash, Ctrl-C or a kill of any process, and a fixed port is always free. There is no way
 * out to a network. The rest (control groups, folders) is removed here.
 *
 * @returns the command's exit code; 130 after Ctrl-C.
 */
export async function enterSandbox(command: readonly string[], options: EnterOptions = {}): Promise<number> {
  if (process.getuid?.() !== 0) {
    process.stderr.write(
      "The real parts need root: they make namespaces, mounts and control groups. Run it with sudo.\n",
    );
    return 2;
  }
  await sweepDeadRuns();
  const id = `triton-azure-e2e-${String(process.pid)}`;
  const runFolder = path.join(cacheFolder(), "runs", id);
  const logs = path.join(runFolder, "logs");
  fs.mkdirSync(logs, { recursive: true });

  const namespaces = ["--pid", "--fork", "--kill-child", "--mount-proc", "--mount", "--net", "--uts", "--ipc"];
  // The shell is the namespace's first process: it waits for orphans, which Node.js would leave as zombies.
  const init = [process.execPath, "-r", "ts-node/register/transpile-only", path.join(__dirname, "init.ts"), ...command];
  const child = spawn("unshare", [...namespaces, "sh", "-c", '"$@"; exit $?', "sh", ...init], {
    stdio: ["inherit", "inherit", "inherit", "ipc"],
    env: { ...process.env, TRITON_AZURE_E2E_RUN: runFolder },
    // A session of its own, so that Ctrl-C reaches this process alone, which then ends the run in order.
    detached: true,
  });

  let interrupted = false;
  const interrupt = (): void => {
    if (interrupted) child.kill("SIGKILL");
    else {
      interrupted = true;
      process.stderr.write("Ending the run …\n");
      if (child.connected) child.send("stop");
      setTimeout(() => child.kill("SIGKILL"), graceSeconds * 1000).unref();
    }
  };
  const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
  for (const signal of signals) process.on(signal, interrupt);
  const code = await new Promise<number>((resolve) => {
    child.once("error", (error) => {
      process.stderr.write(`unshare could not be started: ${error.message}\n`);
      resolve(1);
    });
    child.once("exit", (exitCode) => {
      resolve(interrupted ? 130 : (exitCode ?? 1));
    });
  });
  for (const signal of signals) process.off(signal, interrupt);

  if (code !== 0 || options.keepLogs === true) process.stderr.write(`Logs: ${keepLogs(logs, id)}\n`);
  await removeLeftovers(runFolder);
  return code;
}

/** Moves a run's logs out of its folder, and forgets all but the last ten. */
function keepLogs(logs: string, id: string): string {
  const kept = path.join(cacheFolder(), "logs");
  fs.mkdirSync(kept, { recursive: true });
  const target = path.join(kept, `${new Date().toISOString().replace(/[:.]/g, "-")}-${id}`);
  fs.renameSync(logs, target);
  for (const old of fs.readdirSync(kept).sort().slice(0, -10)) fs.rmSync(path.join(kept, old), { recursive: true });
  return target;
}

if (require.main === module) {
  void enterSandbox(process.argv.slice(2)).then((code) => {
    process.exitCode = code;
  });
}
