import * as fs from "node:fs";
import * as path from "node:path";
import { run } from "../lib/run";
import { goParts, type GoPart, type GoPartName } from "../versions";
import { partFolder, requireFreeDisk, workFolder } from "./cache";

const modulesFolder = path.join(__dirname, "..", "go");

const fileName = (part: { path: string; file?: string }): string => part.file ?? path.basename(part.path);

/** Where a built part's files are, whether or not they exist yet. */
export function goPartFolder(name: GoPartName): string {
  const part: GoPart = goParts[name];
  const source = path.join(modulesFolder, name);
  const files = fs.readdirSync(source).sort();
  return partFolder(name, part.version, [
    JSON.stringify(part),
    ...files.map((file) => fs.readFileSync(path.join(source, file))),
  ]);
}

/** Path of a built program, such as `goProgram("kubernetes", "kubelet")`. */
export function goProgram(name: GoPartName, file: string = name): string {
  return path.join(goPartFolder(name), file);
}

export const goPartIsBuilt = (name: GoPartName): boolean => fs.existsSync(goPartFolder(name));

/**
 * Builds a part and moves it into place in one step. The Go build cache is the part's own and is removed afterwards (all
 * of them together would take 18 GB); that of a build that was killed is taken up again by the next one.
 */
export async function buildGoPart(name: GoPartName): Promise<void> {
  const part: GoPart = goParts[name];
  requireFreeDisk(part.peakGiB + 1, `Building ${name} ${part.version}`);
  await requireGo();
  const work = workFolder(name);
  const source = path.join(work, "source");
  const output = path.join(work, "output");
  fs.rmSync(source, { recursive: true, force: true });
  fs.rmSync(output, { recursive: true, force: true });
  fs.cpSync(path.join(modulesFolder, name), source, { recursive: true });
  fs.mkdirSync(output);

  const env = {
    ...process.env,
    CGO_ENABLED: "0",
    GOCACHE: path.join(work, "go-build"),
    GOFLAGS: "-buildvcs=false -trimpath -mod=readonly -p=2",
    GOWORK: "off",
  };
  const files = part.moduleFiles;
  // One `go list` downloads the module if it is not there yet, and tells where it is.
  const moduleFolder =
    files === undefined
      ? undefined
      : await run("go", ["mod", "download", "-json", files.module], { cwd: source, env }).then(moduleFolderOf);
  for (const file of files?.embed ?? []) embed(path.join(moduleFolder ?? "", file), source, part.version);
  const variables = Object.entries(part.linkerVariables ?? {}).map(([variable, value]) => `-X ${variable}=${value}`);
  const linkerFlags = ["-s", "-w", ...variables].join(" ");

  // The first build of a part with several programs fills the cache for all of them.
  for (const program of part.packages) {
    const target = path.join(output, fileName(program));
    await run("nice", ["-n", "10", "go", "build", "-ldflags", linkerFlags, "-o", target, program.path], {
      cwd: source,
      env,
    });
  }
  for (const file of files?.ship ?? [])
    fs.copyFileSync(path.join(moduleFolder ?? "", file), path.join(output, path.basename(file)));
  fs.renameSync(output, goPartFolder(name));
  fs.rmSync(work, { recursive: true, force: true });
}

const moduleFolderOf = (json: string): string => {
  const { Dir: folder } = JSON.parse(json) as { Dir: string };
  return folder;
};

/** Puts a module's file where our main package embeds it; a Pulumi schema gets the version that its own release build adds. */
function embed(file: string, folder: string, version: string): void {
  const target = path.join(folder, path.basename(file));
  if (path.basename(file) === "schema.json") {
    const schema = JSON.parse(fs.readFileSync(file, "utf8")) as Record<string, unknown>;
    fs.writeFileSync(target, JSON.stringify({ ...schema, version }));
  } else {
    fs.copyFileSync(file, target);
    // Files of the module cache are read-only.
    fs.chmodSync(target, 0o644);
  }
}

async function requireGo(): Promise<void> {
  const version = await run("go", ["env", "GOVERSION"]).catch(() => "");
  const [, minor] = /^go1\.(\d+)/.exec(version) ?? [];
  if (minor === undefined || Number(minor) < 26) {
    throw new Error(
      `Go 1.26 or later is needed on PATH to build the parts; found ${version.trim() === "" ? "none" : version.trim()}.`,
    );
  }
}
