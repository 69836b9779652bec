import * as fs from "node:fs";
import * as path from "node:path";
import { cacheFolder } from "../build/cache";
import { controlGroupHierarchies } from "./control-groups";

/** What a run could leave behind on this machine, each as one line. */
export function machineState(): Set<string> {
  return new Set([...processes(), ...mounts(), ...interfaces(), ...listeningPorts(), ...controlGroups(), ...folders()]);
}

export const newSince = (before: ReadonlySet<string>, after: ReadonlySet<string>): string[] =>
  [...after].filter((line) => !before.has(line));

/** Processes of a run only: others come and go on a machine that is used. */
function processes(): string[] {
  return fs
    .readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && name !== String(process.pid))
    .flatMap((pid) => {
      try {
        const isOurs = fs.readFileSync(`/proc/${pid}/environ`, "utf8").includes("TRITON_AZURE_E2E_RUN=");
        return isOurs
          ? [`process ${pid}: ${fs.readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ")}`]
          : [];
      } catch {
        // It ended meanwhile.
        return [];
      }
    });
}

const mounts = (): string[] =>
  fs
    .readFileSync("/proc/self/mounts", "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => `mount ${line}`);

const interfaces = (): string[] => fs.readdirSync("/sys/class/net").map((name) => `interface ${name}`);

/** Ports below the range from which the kernel gives out ports by itself, which any program may use meanwhile. */
function listeningPorts(): string[] {
  const listening = "0A";
  const [firstOfOthers] = fs.readFileSync("/proc/sys/net/ipv4/ip_local_port_range", "utf8").split("\t").map(Number);
  return ["tcp", "tcp6"]
    .flatMap((table) => fs.readFileSync(`/proc/self/net/${table}`, "utf8").split("\n").slice(1))
    .map((line) => line.trim().split(/\s+/))
    .filter(([, , , state]) => state === listening)
    .map(([, address]) => Number.parseInt(address?.split(":")[1] ?? "0", 16))
    .filter((port) => port < (firstOfOthers ?? 32768))
    .map((port) => `listening port ${String(port)}`);
}

const controlGroups = (): string[] =>
  controlGroupHierarchies().flatMap((hierarchy) =>
    fs
      .readdirSync(hierarchy, { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map((entry) => `control group ${path.join(hierarchy, entry.name)}`),
  );

function folders(): string[] {
  const shared = ["/run", "/var/lib", "/var/log", "/opt", "/tmp", path.join(cacheFolder(), "runs")];
  // In /tmp and /var/log any program may work meanwhile: only names of ours count.
  return shared
    .filter((folder) => fs.existsSync(folder))
    .flatMap((folder) => fs.readdirSync(folder).map((name) => path.join(folder, name)))
    .filter((file) => !/^\/(tmp|var\/log)\//.test(file) || /triton-azure-e2e|containers|pods/.test(file))
    .map((file) => `folder ${file}`);
}
