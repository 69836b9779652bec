import * as fs from "node:fs";
import * as path from "node:path";
import { run } from "../lib/run";
import { debianPrograms } from "../versions";

const systemFolders = ["/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin", "/bin"];

const exists = (program: string): boolean =>
  path.isAbsolute(program)
    ? fs.existsSync(program)
    : [...(process.env["PATH"] ?? "").split(":"), ...systemFolders].some((folder) =>
        fs.existsSync(path.join(folder, program)),
      );

/** Debian packages whose programs this machine lacks. */
export const missingDebianPackages = (): string[] => [
  ...new Set(debianPrograms.filter(({ program }) => !exists(program)).map((missing) => missing.package)),
];

export async function installDebianPackages(packages: readonly string[]): Promise<void> {
  const command = ["apt-get", "install", "--yes", "--no-install-recommends", ...packages];
  if (process.getuid?.() !== 0) {
    throw new Error(`Programs of Debian packages are missing. As root: apt-get update && ${command.join(" ")}`);
  }
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  await run("apt-get", ["update"], { env });
  await run("apt-get", command.slice(1), { env });
}
