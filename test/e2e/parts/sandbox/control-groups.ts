import * as fs from "node:fs";
import * as path from "node:path";
import { until } from "../lib/process";
import { runFolder } from "../lib/sandbox";

/** Mount points of control group hierarchies, version 1 and 2. */
export const controlGroupHierarchies = (): string[] =>
  fs
    .readFileSync("/proc/self/mounts", "utf8")
    .split("\n")
    .map((line) => line.split(" "))
    .filter(([, , type]) => type === "cgroup" || type === "cgroup2")
    .flatMap(([, mountPoint]) => (mountPoint === undefined ? [] : [mountPoint]));

/**
 * Makes a control group of this run in every hierarchy, for a kubelet to make those of its pods in.
 *
 * @returns its name, without a hierarchy's mount point.
 */
export function makeControlGroup(name: string): string {
  const group = path.join("/", path.basename(runFolder()), name);
  for (const hierarchy of controlGroupHierarchies()) fs.mkdirSync(path.join(hierarchy, group), { recursive: true });
  return group;
}

/** Removes a run's control groups, all of whose processes have been ended. */
export async function removeControlGroups(run: string): Promise<void> {
  for (const hierarchy of controlGroupHierarchies()) {
    const group = path.join(hierarchy, run);
    // A group can be removed when its last process is gone, which takes the kernel a moment.
    await until(`${group} is removed`, () => removeControlGroup(group), { timeoutMs: 10_000 });
  }
}

function removeControlGroup(group: string): boolean {
  if (!fs.existsSync(group)) return true;
  for (const entry of fs.readdirSync(group, { withFileTypes: true })) {
    if (entry.isDirectory() && !removeControlGroup(path.join(group, entry.name))) return false;
  }
  return removeEmptyFolder(group);
}

/** Removes a folder that holds nothing; returns whether it is gone. */
export function removeEmptyFolder(folder: string): boolean {
  try {
    fs.rmdirSync(folder);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ENOENT";
  }
}
