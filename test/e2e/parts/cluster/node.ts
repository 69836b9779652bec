import * as fs from "node:fs";
import * as path from "node:path";
import { authorityFolder } from "../build/authority";
import { copyImageStore, pauseImageName, tritonImageName } from "../build/images";
import { goProgram } from "../build/go";
import { addresses } from "../lib/addresses";
import { type KubernetesApi } from "../lib/kubernetes-api";
import { PartProcess, until } from "../lib/process";
import { run, tryRun } from "../lib/run";
import { logFolder, runFolder } from "../lib/sandbox";
import { makeNodeCredentials } from "./credentials";
import { makeControlGroup } from "../sandbox/control-groups";
import { writeContainerdConfig, writeKubeletConfig } from "./node-config";

export interface Taint {
  readonly key: string;
  readonly value?: string;
  readonly effect: "NoSchedule" | "PreferNoSchedule" | "NoExecute";
}

export interface NodeSpec {
  readonly name: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly taints?: readonly Taint[];
  /** Resources that no device plugin reports here, such as `{"nvidia.com/gpu": "1"}`. */
  readonly extendedResources?: Readonly<Record<string, string>>;
}

export interface NodeImages {
  /** Names under which a pod gets the real Triton. */
  readonly triton: readonly string[];
  /** Names under which a pod gets a program that only waits, for what cannot run here (the device plugin). */
  readonly idle: readonly string[];
}

/** A real node: its own containerd with its own images, its own kubelet, its own pod network. */
export class RealNode {
  private constructor(
    readonly spec: NodeSpec,
    readonly address: string,
    private readonly folder: string,
    private readonly containerd: PartProcess,
    private kubelet: PartProcess,
    private readonly startKubelet: () => PartProcess,
    private readonly api: KubernetesApi,
  ) {}

  /**
   * Starts the node and waits until it is Ready. `index` decides its addresses and must be free. The images are unpacked
   * while the API server may still be starting, which `apiReady` tells.
   */
  static async start(
    api: KubernetesApi,
    index: number,
    spec: NodeSpec,
    images: NodeImages,
    apiReady: Promise<unknown>,
  ): Promise<RealNode> {
    const { name } = spec;
    const address = addresses.node(index);
    // By index: the path of a socket has 104 bytes at most, and AKS's names are long.
    const folder = runFolder("nodes", String(index));
    fs.mkdirSync(folder, { recursive: true });
    await run("ip", ["address", "add", `${address}/32`, "dev", "lo"]);

    const socket = path.join(folder, "containerd.sock");
    await copyImageStore(path.join(folder, "containerd"));
    const containerd = new PartProcess({
      name: `containerd-${name}`,
      command: "containerd",
      args: ["--config", writeContainerdConfig(folder, index), "--log-level", "warn"],
      logs: logFolder(),
    });
    await containerd.ready(async () => (await tryRun("ctr", ["--address", socket, "version"])).code === 0);
    await tagImages(socket, images);

    await apiReady;
    const credentials = await makeNodeCredentials(name, address);
    const config = writeKubeletConfig(folder, {
      address,
      authority: path.join(authorityFolder(), "ca.crt"),
      controlGroup: makeControlGroup(name),
      credentials,
      podLogs: path.join(logFolder(), "pods", name),
      socket,
      taints: spec.taints ?? [],
    });
    const labels = Object.entries(spec.labels ?? {}).map(([key, value]) => `${key}=${value}`);
    const startKubelet = (): PartProcess =>
      new PartProcess({
        name: `kubelet-${name}`,
        command: goProgram("kubernetes", "kubelet"),
        args: [
          `--config=${config}`,
          `--kubeconfig=${credentials.kubeconfig}`,
          `--root-dir=${path.join(folder, "kubelet")}`,
          `--cert-dir=${path.join(folder, "kubelet")}`,
          `--hostname-override=${name}`,
          `--node-ip=${address}`,
          `--node-labels=${labels.join(",")}`,
        ],
        logs: logFolder(),
      });
    const node = new RealNode(spec, address, folder, containerd, startKubelet(), startKubelet, api);
    try {
      await node.becomesReady();
    } catch (error) {
      await node.remove();
      throw error;
    }
    return node;
  }

  /** Kills the kubelet, as a crash would; the node's containers go on. */
  async killKubelet(): Promise<void> {
    await this.kubelet.kill();
  }

  async restartKubelet(): Promise<void> {
    await this.kubelet.stop();
    this.kubelet = this.startKubelet();
    await this.becomesReady();
  }

  /** Ends the node with all its containers, as if the machine were switched off, and removes the Node object. */
  async remove(): Promise<void> {
    await this.kubelet.stop();
    await removeContainers(this.socket);
    await this.containerd.stop();
    await unmountBelow(this.folder);
    fs.rmSync(this.folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
    await run("ip", ["address", "del", `${this.address}/32`, "dev", "lo"]);
    if (await this.api.answers("/readyz")) await this.api.remove(this.path);
  }

  private get socket(): string {
    return path.join(this.folder, "containerd.sock");
  }

  private get path(): string {
    return `/api/v1/nodes/${this.spec.name}`;
  }

  private async becomesReady(): Promise<void> {
    await this.kubelet.ready(() => this.isReady(), 120_000);
    if (this.spec.extendedResources === undefined) return;
    const patch = { status: { capacity: this.spec.extendedResources } };
    await this.api.mergePatch(`${this.path}/status`, patch);
    // The kubelet takes the capacity over into what can be allocated, which is what the scheduler reads.
    const [resource = ""] = Object.keys(this.spec.extendedResources);
    await until(
      `node ${this.spec.name} offers ${resource}`,
      async () => {
        const { status } = await this.api.get<{ status: { allocatable: Record<string, string> } }>(this.path);
        return status.allocatable[resource] === this.spec.extendedResources?.[resource];
      },
      { timeoutMs: 60_000, everyMs: 500 },
    );
  }

  private async isReady(): Promise<boolean> {
    if (!(await this.api.answers(this.path))) return false;
    const node = await this.api.get<{ status: { conditions?: { type: string; status: string }[] } }>(this.path);
    return node.status.conditions?.some(({ type, status }) => type === "Ready" && status === "True") ?? false;
  }
}

/** An image's full name: containerd, unlike a pod, has no short ones (`busybox` is `docker.io/library/busybox`). */
function fullImageName(name: string): string {
  const [first = "", ...rest] = name.split("/");
  if (rest.length > 0 && (/[.:]/.test(first) || first === "localhost")) return name;
  return rest.length > 0 ? `docker.io/${name}` : `docker.io/library/${name}`;
}

const ctr = (socket: string, args: readonly string[]): Promise<string> =>
  run("ctr", ["--address", socket, "--namespace", "k8s.io", ...args]);

async function tagImages(socket: string, images: NodeImages): Promise<void> {
  for (const name of images.triton) await ctr(socket, ["images", "tag", tritonImageName, fullImageName(name)]);
  for (const name of images.idle) await ctr(socket, ["images", "tag", pauseImageName, fullImageName(name)]);
}

/** Ends and removes every container of a node, those that hold pods' namespaces too. */
async function removeContainers(socket: string): Promise<void> {
  const tasks = (await ctr(socket, ["tasks", "list", "--quiet"])).split("\n").filter((id) => id !== "");
  await Promise.all(
    tasks.map((id) => tryRun("ctr", ["--address", socket, "--namespace", "k8s.io", "tasks", "delete", "--force", id])),
  );
}

/** Unmounts what a kubelet and a containerd mounted in their folders, innermost first. */
async function unmountBelow(folder: string): Promise<void> {
  const mounts = fs
    .readFileSync("/proc/self/mounts", "utf8")
    .split("\n")
    .map((line) => line.split(" ")[1] ?? "")
    .filter((mountPoint) => mountPoint.startsWith(`${folder}/`));
  for (const mountPoint of mounts.reverse()) await tryRun("umount", ["--lazy", mountPoint]);
}
