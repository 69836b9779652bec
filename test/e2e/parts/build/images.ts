import { createHash } from "node:crypto";
import * as fs from "node:fs";
import * as path from "node:path";
import { certificateAuthority } from "../lib/certificates";
import { run, tryRun } from "../lib/run";
import { tritonImage } from "../versions";
import { PartProcess } from "../lib/process";
import { authorityFolder } from "./authority";
import { partFolder, requireFreeDisk, workFolder } from "./cache";
import { goPartFolder, goProgram } from "./go";

/** Names under which containerd knows the two images; a cluster adds the names that its pods ask for. */
export const pauseImageName = "e2e.invalid/pause:1.0.0";
export const tritonImageName = `e2e.invalid/triton:${tritonImage.version}`;

/**
 * Folder of a containerd that has unpacked both images, from which each node gets its own by hard links. The Triton image
 * trusts the cache's certificate authority, so a new authority means new images.
 */
export function imageStoreFolder(): string {
  const authority = path.join(authorityFolder(), "ca.crt");
  const recipe = [
    JSON.stringify(tritonImage),
    goPartFolder("pause"),
    fs.existsSync(authority) ? fs.readFileSync(authority) : "",
  ];
  return partFolder("image-store", tritonImage.version, recipe);
}

/** Makes the images and unpacks them. */
export async function buildImageStore(): Promise<void> {
  requireFreeDisk(4, "Making the container images");
  if (process.getuid?.() !== 0) throw new Error("Container images have files of several owners; make them as root.");
  // Of this store's digest, so made before it.
  await certificateAuthority(authorityFolder());
  const work = workFolder("images");
  const archives = [await buildPauseImage(work), await buildTritonImage(work)];
  const store = path.join(work, "store");
  fs.rmSync(store, { recursive: true, force: true });
  await unpack(archives, store, work);
  fs.renameSync(store, imageStoreFolder());
  fs.rmSync(work, { recursive: true, force: true });
}

/** Gives a node's containerd, which must not have started yet, its own copy of the store. */
export async function copyImageStore(target: string): Promise<void> {
  await run("cp", ["--archive", "--link", imageStoreFolder(), target]);
  // Layers and blobs are never written again, so nodes share them; the databases are.
  for (const database of await run("find", [target, "-name", "*.db"]).then(lines)) {
    const own = `${database}.own`;
    fs.copyFileSync(database, own);
    fs.renameSync(own, database);
  }
}

const lines = (text: string): string[] => text.split("\n").filter((line) => line !== "");

/** Imports image archives into a containerd of its own and leaves its folder at `store`. */
async function unpack(archives: readonly string[], store: string, work: string): Promise<void> {
  const socket = path.join(work, "containerd.sock");
  const config = path.join(work, "containerd.toml");
  const state = fs.mkdtempSync("/tmp/triton-azure-e2e-");
  fs.writeFileSync(config, containerdBasics({ root: store, state, socket }));
  const containerd = new PartProcess({
    name: "containerd",
    command: "containerd",
    args: ["--config", config],
    logs: work,
  });
  try {
    await containerd.ready(async () => (await tryRun("ctr", ["--address", socket, "version"])).code === 0);
    for (const archive of archives)
      await run("ctr", ["--address", socket, "--namespace", "k8s.io", "images", "import", archive]);
  } finally {
    await containerd.stop();
    fs.rmSync(state, { recursive: true, force: true });
  }
}

/** The part of containerd's configuration that a store and the nodes which copy it have in common. */
export const containerdBasics = (paths: { root: string; state: string; socket: string }): string => `version = 2
root = "${paths.root}"
state = "${paths.state}"
disabled_plugins = [
  "io.containerd.snapshotter.v1.btrfs",
  "io.containerd.snapshotter.v1.devmapper",
  "io.containerd.snapshotter.v1.zfs",
]

[grpc]
  address = "${paths.socket}"

[plugins."io.containerd.internal.v1.opt"]
  path = "${paths.state}/opt"
`;

async function buildPauseImage(work: string): Promise<string> {
  const root = path.join(work, "pause");
  fs.rmSync(root, { recursive: true, force: true });
  fs.mkdirSync(root);
  fs.copyFileSync(goProgram("pause"), path.join(root, "pause"));
  const target = path.join(work, "pause.tar");
  await archive(root, pauseImageName, { Entrypoint: ["/pause"], User: "65535:65535" }, target);
  return target;
}

/**
 * Makes the image of the real Triton for CPU, laid out as NVIDIA's: `/opt/tritonserver` with the server on PATH, user
 * `triton-server` (1000), the Python backend and NumPy.
 */
async function buildTritonImage(work: string): Promise<string> {
  const root = path.join(work, "triton");
  const wheels = path.join(work, "wheels");
  for (const folder of [root, wheels]) fs.rmSync(folder, { recursive: true, force: true });
  const include = tritonImage.debianPackages.join(",");
  await run("debootstrap", ["--variant=minbase", `--include=${include}`, tritonImage.debian, root]);
  await downloadWheels(wheels);
  await installTriton(wheels, root);
  await installNumpy(wheels, root);
  const authority = await certificateAuthority(authorityFolder());
  fs.appendFileSync(path.join(root, "etc/ssl/certs/ca-certificates.crt"), fs.readFileSync(authority.certificate));
  await run("chroot", [root, "useradd", "--uid", "1000", "--create-home", "triton-server"]);
  slim(root);
  const config = {
    Env: ["PATH=/opt/tritonserver/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"],
    WorkingDir: "/opt/tritonserver",
  };
  const target = path.join(work, "triton.tar");
  await archive(root, tritonImageName, config, target);
  return target;
}

/** Fetches the wheels that fit the image, whatever Python this machine has. */
async function downloadWheels(folder: string): Promise<void> {
  const platforms = ["manylinux_2_35_x86_64", "manylinux2014_x86_64"].flatMap((platform) => ["--platform", platform]);
  const target = ["--no-deps", "--only-binary=:all:", "--python-version", tritonImage.python, ...platforms];
  await run("python3", [
    "-m",
    "pip",
    "download",
    "--quiet",
    ...target,
    "--dest",
    folder,
    ...Object.values(tritonImage.wheels),
  ]);
}

const wheelIn = (folder: string, prefix: string): string => {
  const file = fs.readdirSync(folder).find((name) => name.startsWith(prefix));
  if (file === undefined) throw new Error(`no wheel ${prefix}*.whl in ${folder}`);
  return path.join(folder, file);
};

async function installTriton(wheels: string, root: string): Promise<void> {
  // The server finds its libraries relative to itself, so the wheel keeps its layout and gets the usual name by a link.
  const home = path.join(root, "opt/pytriton");
  await run("python3", ["-m", "zipfile", "-e", wheelIn(wheels, "nvidia_pytriton"), home]);
  const server = path.join(home, "pytriton/tritonserver");
  const stubs = path.join(server, "python_backend_stubs");
  const stub = path.join(server, "backends/python/triton_python_backend_stub");
  fs.copyFileSync(path.join(stubs, tritonImage.python, "triton_python_backend_stub"), stub);
  fs.rmSync(stubs, { recursive: true });
  // A zip file does not say what is executable.
  for (const program of [stub, path.join(server, "bin/tritonserver")]) fs.chmodSync(program, 0o755);
  fs.symlinkSync("pytriton/pytriton/tritonserver", path.join(root, "opt/tritonserver"));
}

async function installNumpy(wheels: string, root: string): Promise<void> {
  const packages = path.join(root, `usr/local/lib/python${tritonImage.python}/dist-packages`);
  await run("python3", ["-m", "zipfile", "-e", wheelIn(wheels, "numpy"), packages]);
}

/** Removes what no program in the image reads at run time, and the device files, which the runtime makes. */
function slim(root: string): void {
  const unused = [
    "var/cache/apt",
    "var/lib/apt/lists",
    "usr/share/doc",
    "usr/share/man",
    "usr/share/locale",
    "dev",
    "proc",
    "sys",
  ];
  for (const folder of unused) {
    fs.rmSync(path.join(root, folder), { recursive: true, force: true });
    fs.mkdirSync(path.join(root, folder), { recursive: true });
  }
}

/** Packs a root file system as an image archive of one layer, in the format of `docker save`. */
async function archive(root: string, name: string, config: object, target: string): Promise<void> {
  const image = `${target}.content`;
  fs.rmSync(image, { recursive: true, force: true });
  fs.mkdirSync(image);
  const layer = path.join(image, "layer.tar");
  await run("tar", ["--numeric-owner", "--sort=name", "--mtime=@0", "-C", root, "-cf", layer, "."]);
  const sum = await run("sha256sum", [layer]);
  const rootfs = { type: "layers", diff_ids: [`sha256:${sum.split(" ")[0] ?? ""}`] };
  const text = JSON.stringify({ architecture: "amd64", os: "linux", config, rootfs });
  const configFile = `${createHash("sha256").update(text).digest("hex")}.json`;
  fs.writeFileSync(path.join(image, configFile), text);
  const manifest = [{ Config: configFile, RepoTags: [name], Layers: ["layer.tar"] }];
  fs.writeFileSync(path.join(image, "manifest.json"), JSON.stringify(manifest));
  await run("tar", ["-C", image, "-cf", target, "manifest.json", configFile, "layer.tar"]);
  fs.rmSync(image, { recursive: true });
}
