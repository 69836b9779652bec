import * as fs from "node:fs";

/**
 * Kills a process and all that it started, whatever groups they are in. The children of a process that has ended by itself
 * belong to another parent, and are not found.
 */
export function killTree(pid: number): void {
  const parents = parentsByPid();
  const doomed = [pid];
  for (const parent of doomed)
    doomed.push(...[...parents].filter(([, ppid]) => ppid === parent).map(([child]) => child));
  for (const each of doomed) {
    try {
      process.kill(each, "SIGKILL");
    } catch {
      // It has ended by itself.
    }
  }
}

function parentsByPid(): Map<number, number> {
  const parents = new Map<number, number>();
  for (const entry of fs.readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
    try {
      // `pid (name) state ppid …`, and a name may have parentheses of its own.
      const stat = fs.readFileSync(`/proc/${entry}/stat`, "utf8");
      parents.set(Number(entry), Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]));
    } catch {
      // It has ended meanwhile.
    }
  }
  return parents;
}
