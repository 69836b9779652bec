import * as fs from "node:fs";
import { kubectlProgram } from "../build/npm";
import { KubernetesApi } from "../lib/kubernetes-api";
import { type PartProcess } from "../lib/process";
import { run } from "../lib/run";
import { Azurite, type AccountKeys } from "./azurite";
import {
  type ControlPlaneOptions,
  defaultServiceAccountIssuer,
  startApiServer,
  startControllerManager,
  startScheduler,
} from "./control-plane";
import { ControlService } from "./control-service";
import { startCoreDns } from "./coredns";
import { type Credentials, makeCredentials } from "./credentials";
import { startEtcd } from "./etcd";
import { startKubeProxy } from "./kube-proxy";
import { addFakeNodes, type FakeNodeSpec, startKwok } from "./kwok";
import { startMetricsServer } from "./metrics-server";
import { type NodeImages, type NodeSpec, RealNode } from "./node";

export interface ClusterOptions extends ControlPlaneOptions {
  /** Nodes that run containers. Default: none. */
  readonly nodes?: readonly NodeSpec[];
  /** Nodes that only the scheduler sees. Default: none. */
  readonly fakeNodes?: readonly FakeNodeSpec[];
  /** Whether metrics-server runs, which the horizontal pod autoscaler needs. Default: false. */
  readonly metrics?: boolean;
  /** Names of images on every real node. Default: none, so that a pod's image cannot be pulled. */
  readonly images?: NodeImages;
  /** Storage accounts and their keys. More can be added later. Default: none. */
  readonly storageAccounts?: Readonly<Record<string, AccountKeys>>;
}

/** A control plane, nodes and Blob Storage of real parts. One at a time in a sandbox. */
export class Cluster {
  readonly azurite = new Azurite();
  private readonly processes = new Map<string, PartProcess>();
  private readonly nodes = new Map<string, RealNode>();
  private readonly fakeNodes = new Set<string>();
  private nextNodeIndex = 0;
  private readonly control = new ControlService(this);
  private apiReady: Promise<unknown> = Promise.resolve();

  private constructor(
    private readonly credentials: Credentials,
    /** Kubernetes API as a member of `system:masters`. */
    readonly api: KubernetesApi,
    private readonly options: ClusterOptions,
  ) {}

  /** Starts all parts. Whatever was started is stopped again when one of them fails. */
  static async start(options: ClusterOptions = {}): Promise<Cluster> {
    const credentials = await makeCredentials();
    const cluster = new Cluster(credentials, new KubernetesApi(credentials.authority, credentials.admin), options);
    const results = await Promise.allSettled(cluster.startParts());
    const failure = results.find((result) => result.status === "rejected");
    if (failure !== undefined) {
      await cluster.stop();
      throw failure.reason;
    }
    return cluster;
  }

  /** Issuer of service account tokens. */
  get serviceAccountIssuer(): string {
    return this.options.serviceAccountIssuer ?? defaultServiceAccountIssuer;
  }

  /** Path of the kubeconfig of a member of `system:masters`. */
  get kubeconfig(): string {
    return this.credentials.kubeconfig.admin;
  }

  /** The same as a text that holds its certificates. */
  get kubeconfigText(): string {
    return fs.readFileSync(this.kubeconfig, "utf8");
  }

  /** Runs kubectl as that member and returns what it wrote; fails when it exits with another code than 0. */
  kubectl(args: readonly string[], input = ""): Promise<string> {
    return run(kubectlProgram(), ["--kubeconfig", this.kubeconfig, ...args], { input, timeoutMs: 300_000 });
  }

  /** Names of the nodes that run containers. */
  get nodeNames(): string[] {
    return [...this.nodes.keys()];
  }

  node(name: string): RealNode {
    const node = this.nodes.get(name);
    if (node === undefined) throw new Error(`no real node ${name}; there are: ${this.nodeNames.join(", ")}`);
    return node;
  }

  async addNode(spec: NodeSpec): Promise<void> {
    if (this.nodes.has(spec.name)) throw new Error(`node ${spec.name} exists`);
    const { images = { triton: [], idle: [] } } = this.options;
    const index = this.nextNodeIndex++;
    this.nodes.set(spec.name, await RealNode.start(this.api, index, spec, images, this.apiReady));
  }

  async addFakeNodes(specs: readonly FakeNodeSpec[]): Promise<void> {
    if (specs.length === 0) return;
    if (!this.processes.has("kwok")) this.processes.set("kwok", await startKwok(this.credentials));
    await addFakeNodes(this.api, specs);
    for (const { name } of specs) this.fakeNodes.add(name);
  }

  /** Cordons these nodes and evicts their pods, as disruption budgets allow; fails when that takes more than ten minutes. */
  async drain(names: readonly string[]): Promise<void> {
    const known = names.filter((name) => this.nodes.has(name) || this.fakeNodes.has(name));
    if (known.length === 0) return;
    const evict = ["--ignore-daemonsets", "--delete-emptydir-data", "--force", "--timeout=240s"];
    await this.kubectl(["drain", ...known, ...evict]);
  }

  /** Removes a node, real or fake, as if its machine were deleted; that there is none is fine. */
  async removeNode(name: string): Promise<void> {
    const node = this.nodes.get(name);
    this.nodes.delete(name);
    await node?.remove();
    if (this.fakeNodes.delete(name)) await this.api.remove(`/api/v1/nodes/${name}`);
  }

  async stopApiServer(): Promise<void> {
    await this.processes.get("api-server")?.stop();
  }

  /** Starts the API server again, with the same certificates and data. */
  async startApiServer(): Promise<void> {
    this.processes.set("api-server", await startApiServer(this.credentials, this.api, this.options));
  }

  /** Stops everything, etcd last: an API server without it does not end. */
  async stop(): Promise<void> {
    await this.control.stop();
    await Promise.all([...this.nodes.keys()].map((name) => this.removeNode(name)));
    const { "api-server": apiServer, etcd, ...others } = Object.fromEntries(this.processes);
    await Promise.all([this.azurite.stop(), ...Object.values(others).map((part) => part?.stop())]);
    await apiServer?.stop();
    await etcd?.stop();
  }

  private startParts(): Promise<void>[] {
    const { nodes = [], fakeNodes = [], metrics = false, storageAccounts = {} } = this.options;
    const apiServer = this.startControlPlane();
    this.apiReady = apiServer;
    const { api, credentials } = this;
    const after = (name: string, start: () => Promise<PartProcess>): Promise<void> =>
      apiServer.then(start).then((part) => void this.processes.set(name, part));
    return [
      apiServer,
      after("controller-manager", () => startControllerManager(credentials, this.options)),
      after("scheduler", () => startScheduler(credentials)),
      after("kube-proxy", () => startKubeProxy(credentials, api)),
      after("coredns", () => startCoreDns(credentials, api)),
      ...(metrics ? [after("metrics-server", () => startMetricsServer(credentials, api))] : []),
      apiServer.then(() => this.addFakeNodes(fakeNodes)),
      ...nodes.map((spec) => this.addNode(spec)),
      this.startBlobStorage(storageAccounts),
      this.control.start(),
    ];
  }

  private async startControlPlane(): Promise<void> {
    this.processes.set("etcd", await startEtcd());
    await this.startApiServer();
  }

  private async startBlobStorage(accounts: Readonly<Record<string, AccountKeys>>): Promise<void> {
    for (const [name, keys] of Object.entries(accounts)) await this.azurite.setAccount(name, keys);
    await this.azurite.start();
  }
}
