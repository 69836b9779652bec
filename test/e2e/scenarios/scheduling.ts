import assert from "node:assert/strict";
import { parse } from "yaml";
import { until } from "../parts/lib/process";
import { featureScaler, type Release } from "../releases";
import { type Scenario } from "../scenario";
import { type World } from "../world";

const release: Release = { id: "first", models: [featureScaler] };
const vmSize = "Standard_NC4as_T4_v3";

export const scenario: Scenario = {
  steps: [
    {
      promise: "Triton runs on the GPU nodes of both pools, one replica a GPU",
      run: async (world) => {
        const gpuPools = [
          { name: "t4", vmSize, max: 1 },
          { name: "t4spot", vmSize, max: 1, spot: true },
        ];
        await world.deploy({ releases: [release], sections: { gpuPools } });
        assert.deepEqual((await world.tritonPods()).map(({ spec }) => spec.nodeName).sort(), await nodes(world, gpu));
        assert.equal((await nodes(world, spot)).length, 1);
      },
    },
    {
      promise: "the device plugin runs on every GPU node and nowhere else",
      run: async (world) => {
        const plugin = ["-n", "gpu-resources", "-l", "app.kubernetes.io/name=nvidia-device-plugin"];
        await settled(world);
        assert.deepEqual(await nodesOf(world, plugin), await nodes(world, gpu));
      },
    },
    {
      promise: "what asks for nothing runs on the user pool alone, and nothing is left pending",
      run: async (world) => {
        await world.cluster.kubectl(["create", "deployment", "plain", "--image=example.com/plain:1", "--replicas=4"]);
        await world.cluster.kubectl(["rollout", "status", "deployment/plain", "--timeout=60s"]);
        const used = new Set(await nodesOf(world, ["-n", "default", "-l", "app=plain"]));
        const user = await nodes(world, "kubernetes.azure.com/mode=user,!nvidia.com/gpu.present");
        assert.deepEqual([...used], user);
        await settled(world);
      },
    },
    {
      promise: "a pod that wants a GPU but does not know of the GPU nodes gets none",
      run: async (world) => {
        const limits = { limits: { "nvidia.com/gpu": "1" } };
        const container = { name: "stranger", image: "example.com/stranger:1", resources: limits };
        const overrides = { apiVersion: "v1", spec: { containers: [container] } };
        await world.cluster.kubectl([
          ...["run", "stranger", "--image=example.com/stranger:1", "--restart=Never"],
          `--overrides=${JSON.stringify(overrides)}`,
        ]);
        await until(
          "the scheduler refuses the pod",
          async () => (await reason(world, "stranger")) === "Unschedulable",
          {
            timeoutMs: 30_000,
          },
        );
        await world.cluster.kubectl(["delete", "pod", "stranger", "--wait=false"]);
      },
    },
    {
      promise: "the cluster autoscaler is told to try spot capacity first",
      run: async (world) => {
        const name = "cluster-autoscaler-priority-expander";
        const text = await world.cluster.kubectl([
          ...["get", "configmap", name, "-n", "kube-system", "-o", "jsonpath={.data.priorities}"],
        ]);
        const ranks = Object.entries(parse(text) as Record<string, string[]>).sort(([a], [b]) => Number(b) - Number(a));
        const pools = world.cloud
          .all("AgentPool")
          .filter(([, { inputs }]) => inputs["vmSize"] === vmSize)
          .sort(([, { inputs }]) => (inputs["scaleSetPriority"] === "Spot" ? -1 : 1))
          .map(([, { inputs }]) => inputs["agentPoolName"] as string);
        // The name of a scale set is that of its pool between "aks-" and a number.
        const firstRank = (pool: string): number =>
          ranks.findIndex(([, patterns]) =>
            patterns.some((pattern) => new RegExp(pattern).test(`aks-${pool}-1234-vmss`)),
          );
        assert.deepEqual(pools.map(firstRank), [0, 1]);
        const expanders = world.cloud
          .all("ManagedCluster")
          .map(([, { inputs }]) => (inputs["autoScalerProfile"] as { expander?: string } | undefined)?.expander);
        assert.deepEqual(expanders, ["priority"]);
      },
    },
  ],
};

const gpu = "nvidia.com/gpu.present=true";
const spot = "kubernetes.azure.com/scalesetpriority=spot";

const lines = (text: string): string[] =>
  text
    .split("\n")
    .filter((line) => line !== "")
    .sort();

/** Names of the nodes that a label selector finds. */
const nodes = async ({ cluster }: World, selector: string): Promise<string[]> =>
  lines(await cluster.kubectl(["get", "nodes", "-l", selector, "-o", byLine("{.metadata.name}")]));

/** The node of each pod that the arguments of `kubectl get pods` find. */
const nodesOf = async ({ cluster }: World, args: readonly string[]): Promise<string[]> =>
  lines(await cluster.kubectl(["get", "pods", ...args, "-o", byLine("{.spec.nodeName}")]));

const byLine = (field: string): string => `jsonpath={range .items[*]}${field}{"\\n"}{end}`;

const reason = ({ cluster }: World, pod: string): Promise<string> =>
  cluster.kubectl(["get", "pod", pod, "-o", "jsonpath={.status.conditions[?(@.type=='PodScheduled')].reason}"]);

/** Waits until no pod is pending. */
async function settled({ cluster }: World): Promise<void> {
  const pending = ["get", "pods", "-A", "--field-selector=status.phase=Pending"];
  await until("no pod is pending", async () => (await cluster.kubectl([...pending, "-o", "name"])) === "", {
    timeoutMs: 60_000,
    onTimeout: () => cluster.kubectl([...pending, "-o", "wide"]),
  });
}
