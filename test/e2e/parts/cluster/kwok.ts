import * as fs from "node:fs";
import * as path from "node:path";
import { goPartFolder, goProgram } from "../build/go";
import { addresses } from "../lib/addresses";
import { type KubernetesApi } from "../lib/kubernetes-api";
import { PartProcess, until } from "../lib/process";
import { logFolder, runFolder } from "../lib/sandbox";
import { type Credentials } from "./credentials";
import { type NodeSpec } from "./node";

export interface FakeNodeSpec extends NodeSpec {
  /** What pods may ask of the node. Default: 8 CPUs, 56 GiB, 110 pods. */
  readonly capacity?: Readonly<Record<string, string>>;
}

const fakeAnnotation = "kwok.x-k8s.io/node";

/** Starts kwok, which keeps fake nodes Ready and reports their pods as running without running them. */
export async function startKwok(credentials: Credentials): Promise<PartProcess> {
  const port = 10247;
  const stages = fs.readdirSync(goPartFolder("kwok")).filter((file) => file.endsWith(".yaml"));
  const config = runFolder("kwok.yaml");
  fs.writeFileSync(
    config,
    stages.map((file) => fs.readFileSync(path.join(goPartFolder("kwok"), file), "utf8")).join("\n---\n"),
  );
  const kwok = new PartProcess({
    name: "kwok",
    command: goProgram("kwok"),
    args: [
      `--kubeconfig=${credentials.kubeconfig.admin}`,
      `--config=${config}`,
      "--manage-all-nodes=false",
      `--manage-nodes-with-annotation-selector=${fakeAnnotation}=fake`,
      `--node-ip=${addresses.controlPlane}`,
      "--node-lease-duration-seconds=40",
      `--server-address=${addresses.controlPlane}:${String(port)}`,
      // Apart from the real nodes' ranges.
      "--cidr=10.245.0.1/16",
    ],
    logs: logFolder(),
  });
  await kwok.ready(() =>
    fetch(`http://${addresses.controlPlane}:${String(port)}/healthz`).then(
      (answer) => answer.ok,
      () => false,
    ),
  );
  return kwok;
}

/** Adds fake nodes and waits until they are Ready. A pod lands on one unless a label or taint keeps it away. */
export async function addFakeNodes(api: KubernetesApi, nodes: readonly FakeNodeSpec[]): Promise<void> {
  for (const { name, labels, taints, extendedResources, capacity } of nodes) {
    const resources = { cpu: "8", memory: "56Gi", pods: "110", ...capacity, ...extendedResources };
    await api.apply("/api/v1/nodes", {
      apiVersion: "v1",
      kind: "Node",
      metadata: {
        name,
        annotations: { [fakeAnnotation]: "fake" },
        labels: {
          "kubernetes.io/arch": "amd64",
          "kubernetes.io/os": "linux",
          "kubernetes.io/hostname": name,
          ...labels,
        },
      },
      spec: { taints: taints ?? [] },
    });
    await api.mergePatch(`/api/v1/nodes/${name}/status`, { status: { capacity: resources, allocatable: resources } });
  }
  const names = new Set(nodes.map(({ name }) => name));
  interface NodeList {
    readonly items: readonly {
      readonly metadata: { readonly name: string };
      readonly status: { readonly conditions?: readonly { readonly type: string; readonly status: string }[] };
    }[];
  }
  await until(
    "the fake nodes are Ready",
    async () => {
      const { items } = await api.get<NodeList>("/api/v1/nodes");
      const ready = items.filter(({ status }) =>
        status.conditions?.some((c) => c.type === "Ready" && c.status === "True"),
      );
      return ready.filter(({ metadata }) => names.has(metadata.name)).length === names.size;
    },
    { timeoutMs: 60_000 },
  );
}
