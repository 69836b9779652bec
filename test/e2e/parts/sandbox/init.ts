import { spawn } from "node:child_process";
import * as fs from "node:fs";
import * as path from "node:path";
import { authorityFolder } from "../build/authority";
import { addresses } from "../lib/addresses";
import { certificateAuthority } from "../lib/certificates";
import { run } from "../lib/run";
import { mountPointsFile } from "./leftovers";

const systemBundle = "/etc/ssl/certs/ca-certificates.crt";

const bind = (source: string, target: string): Promise<string> => run("mount", ["--bind", source, target]);

/** Gives the parts, which write to fixed places, places of their own instead of the machine's. */
async function mountPrivateFolders(runFolder: string): Promise<void> {
  await run("hostname", ["triton-azure-e2e"]);
  const made: string[] = [];
  for (const folder of ["/var/lib/cni", "/var/lib/kubelet"]) {
    if (!fs.existsSync(folder)) {
      fs.mkdirSync(folder);
      made.push(folder);
    }
  }
  fs.writeFileSync(path.join(runFolder, mountPointsFile), JSON.stringify(made));
  for (const folder of ["/run", "/var/log", "/var/lib/cni", "/var/lib/kubelet"]) {
    await run("mount", ["-t", "tmpfs", "-o", "mode=755", "triton-azure-e2e", folder]);
  }
  fs.mkdirSync("/run/lock");
}

/** Names are resolved by the cluster's CoreDNS, for the programs outside pods too. */
async function useOwnResolver(runFolder: string): Promise<void> {
  const file = path.join(runFolder, "resolv.conf");
  fs.writeFileSync(file, `nameserver ${addresses.controlPlane}\noptions ndots:1 timeout:2 attempts:2\n`);
  const target = fs.lstatSync("/etc/resolv.conf", { throwIfNoEntry: false });
  if (target?.isSymbolicLink() === true) {
    // It points into /run, which is empty now.
    const real = path.resolve("/etc", fs.readlinkSync("/etc/resolv.conf"));
    fs.mkdirSync(path.dirname(real), { recursive: true });
    fs.copyFileSync(file, real);
  } else if (target !== undefined) await bind(file, "/etc/resolv.conf");
}

/** Settings of the whole kernel that the kubelet would change: it finds the values it wants, in files of ours. */
async function shieldKernelSettings(runFolder: string): Promise<void> {
  const wanted: Record<string, string> = {
    "vm/overcommit_memory": "1",
    "vm/panic_on_oom": "0",
    "kernel/panic": "10",
    "kernel/panic_on_oops": "1",
    "kernel/keys/root_maxkeys": "1000000",
    "kernel/keys/root_maxbytes": "25000000",
  };
  for (const [setting, value] of Object.entries(wanted)) {
    const real = path.join("/proc/sys", setting);
    if (!fs.existsSync(real)) continue;
    const file = path.join(runFolder, "settings", setting);
    fs.mkdirSync(path.dirname(file), { recursive: true });
    fs.writeFileSync(file, `${value}\n`);
    await bind(file, real);
  }
}

async function setUpNetwork(): Promise<void> {
  await run("ip", ["link", "set", "lo", "up"]);
  for (const address of [addresses.controlPlane, addresses.blobStorage, addresses.control]) {
    await run("ip", ["address", "add", `${address}/32`, "dev", "lo"]);
  }
  // A program outside pods must have a route to a Service's address before kube-proxy's rules send it on to a pod.
  await run("ip", ["route", "add", addresses.serviceCidr, "dev", "lo", "src", addresses.controlPlane]);
  for (const [setting, value] of Object.entries({ "ipv4/ip_forward": "1", "bridge/bridge-nf-call-iptables": "1" })) {
    fs.writeFileSync(path.join("/proc/sys/net", setting), value);
  }
}

/** Makes every program in the sandbox trust the test certificate authority. */
async function trustAuthority(runFolder: string): Promise<NodeJS.ProcessEnv> {
  const authority = await certificateAuthority(authorityFolder());
  const bundle = path.join(runFolder, "ca-bundle.crt");
  const system = fs.existsSync(systemBundle) ? fs.readFileSync(systemBundle) : "";
  fs.writeFileSync(bundle, system);
  fs.appendFileSync(bundle, fs.readFileSync(authority.certificate));
  if (fs.existsSync(systemBundle)) await bind(bundle, systemBundle);
  return { NODE_EXTRA_CA_CERTS: bundle, SSL_CERT_FILE: bundle };
}

/** First program of ours in a sandbox: prepares it, runs the command and ends with its exit code. */
async function main(): Promise<void> {
  const { TRITON_AZURE_E2E_RUN: runFolder } = process.env;
  const [command, ...args] = process.argv.slice(2);
  if (runFolder === undefined || command === undefined) throw new Error("this program is started by enter.ts alone");
  await mountPrivateFolders(runFolder);
  await useOwnResolver(runFolder);
  await shieldKernelSettings(runFolder);
  await setUpNetwork();
  const trust = await trustAuthority(runFolder);

  const environment = { ...process.env, ...trust };
  // The channel to enter.ts is this program's own.
  delete environment["NODE_CHANNEL_FD"];
  const child = spawn(command, args, { stdio: "inherit", env: environment });
  const end = (): void => {
    child.kill("SIGTERM");
  };
  process.on("message", end);
  // The program outside is gone, by whatever way.
  process.on("disconnect", end);
  child.once("error", (error) => {
    process.stderr.write(`${command} could not be started: ${error.message}\n`);
    process.exit(1);
  });
  child.once("exit", (code) => {
    // All else in the sandbox ends with this program.
    process.exit(code ?? 1);
  });
}

main().catch((error: unknown) => {
  process.stderr.write(`sandbox: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
});
