import * as fs from "node:fs";
import * as path from "node:path";
import { cacheFolder } from "../build/cache";
import { removeControlGroups, removeEmptyFolder } from "./control-groups";

/** Folders that must exist to be mounted over; a run makes the missing ones and lists them in this file. */
export const mountPointsFile = "mount-points.json";

/** Removes what the kernel does not when a run's namespaces end: its control groups, mount points and folder. */
export async function removeLeftovers(runFolder: string): Promise<void> {
  await removeControlGroups(path.basename(runFolder));
  const mountPoints = path.join(runFolder, mountPointsFile);
  if (fs.existsSync(mountPoints)) {
    for (const folder of JSON.parse(fs.readFileSync(mountPoints, "utf8")) as string[]) removeEmptyFolder(folder);
  }
  fs.rmSync(runFolder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
}

/** Removes what runs left whose own process was killed. */
export async function sweepDeadRuns(): Promise<void> {
  const runs = path.join(cacheFolder(), "runs");
  if (!fs.existsSync(runs)) return;
  for (const name of fs.readdirSync(runs)) {
    const pid = name.split("-").pop() ?? "";
    if (!isAlive(pid)) await removeLeftovers(path.join(runs, name));
  }
}

/** Whether the process of that id may be a run's own: the id of a killed one may name another program by now. */
function isAlive(pid: string): boolean {
  try {
    return fs.readFileSync(`/proc/${pid}/cmdline`, "utf8").includes("node");
  } catch {
    return false;
  }
}
