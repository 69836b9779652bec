import { createHash } from "node:crypto";
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { spawn } from "node:child_process";

const gib = 1024 ** 3;

/** Folder of everything built or installed: `TRITON_AZURE_E2E_CACHE`, or `triton-azure-e2e` in the user's cache folder. */
export function cacheFolder(): string {
  const { TRITON_AZURE_E2E_CACHE: own, XDG_CACHE_HOME: caches } = process.env;
  return own ?? path.join(caches ?? path.join(os.homedir(), ".cache"), "triton-azure-e2e");
}

/**
 * Folder of one part, named by its version and a digest of all that decides its content (module files, recipe), so
 * that a changed pin is a new folder and an old one is never mistaken for it.
 */
export function partFolder(name: string, version: string, recipe: readonly (string | Buffer)[]): string {
  const hash = createHash("sha256");
  for (const text of recipe) hash.update(text).update("\0");
  return path.join(cacheFolder(), `${name}-${version}-${hash.digest("hex").slice(0, 8)}`);
}

/** Folder for unfinished work, on the same file system as the finished parts: a rename makes them appear whole. */
export function workFolder(name: string): string {
  const folder = path.join(cacheFolder(), "work", name);
  fs.mkdirSync(folder, { recursive: true });
  return folder;
}

export function requireFreeDisk(neededGiB: number, purpose: string): void {
  fs.mkdirSync(cacheFolder(), { recursive: true });
  const { bavail, bsize } = fs.statfsSync(cacheFolder());
  const freeGiB = (bavail * bsize) / gib;
  if (freeGiB < neededGiB) {
    throw new Error(
      `${purpose} needs ${String(neededGiB)} GiB of free disk and ${cacheFolder()} has ${freeGiB.toFixed(1)} GiB. ` +
        "Free some, or name a folder on another disk in TRITON_AZURE_E2E_CACHE.",
    );
  }
}

/**
 * Runs `action` while holding the cache's lock. The kernel holds it for a child that lives as long as its standard input
 * is open, so a killed build leaves no stale lock behind.
 */
export async function withCacheLock<T>(action: () => Promise<T>, onWait: () => void): Promise<T> {
  fs.mkdirSync(cacheFolder(), { recursive: true });
  const holder = spawn("flock", [path.join(cacheFolder(), "lock"), "sh", "-c", "echo held; exec cat"], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const waiting = setTimeout(onWait, 1000);
  try {
    await new Promise<void>((resolve, reject) => {
      holder.stdout.once("data", () => {
        resolve();
      });
      holder.once("error", reject);
      holder.once("exit", (code) => {
        reject(new Error(`the lock on ${cacheFolder()} could not be taken (flock exited with ${String(code)})`));
      });
    });
    clearTimeout(waiting);
    return await action();
  } finally {
    clearTimeout(waiting);
    holder.stdin.end();
  }
}
