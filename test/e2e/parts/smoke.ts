/**
 * Shows that the real parts work together: starts them all, lets two Triton pods load a model from Azurite, asks one for an
 * inference through the Service, stops, and proves that the machine is as it was.
 */
import { randomBytes } from "node:crypto";
import { requireParts } from "./build/main";
import { kubectlProgram } from "./build/npm";
import { Cluster } from "./cluster/cluster";
import { BlobClient } from "./lib/blob-client";
import { until } from "./lib/process";
import { tryRun } from "./lib/run";
import { inSandbox } from "./lib/sandbox";
import { cleanRun } from "./sandbox/clean-run";
import { account, container, modelFiles, tritonImageName, tritonObjects } from "./smoke-objects";

const start = Date.now();
const log = (line: string): void => {
  process.stdout.write(`${((Date.now() - start) / 1000).toFixed(1).padStart(6)} s  ${line}\n`);
};

async function scenario(): Promise<void> {
  const key = randomBytes(64).toString("base64");
  const gpuNode = (name: string) => ({
    name,
    labels: { agentpool: "gpu" },
    taints: [{ key: "sku", value: "gpu", effect: "NoSchedule" }] as const,
    extendedResources: { "nvidia.com/gpu": "1" },
  });
  log("starting the parts");
  const cluster = await Cluster.start({
    nodes: [gpuNode("gpu-0"), gpuNode("gpu-1")],
    fakeNodes: [{ name: "system-0", labels: { agentpool: "system" } }],
    metrics: true,
    images: { triton: [tritonImageName], idle: [] },
    storageAccounts: { [account]: [key] },
  });
  try {
    log(`ready: ${cluster.nodeNames.join(", ")} and one fake node`);
    await checkReplicas(cluster, key);
    await checkFakeNode(cluster);
    await checkMetrics(cluster);
  } finally {
    await cluster.stop();
    log("stopped");
  }
}

async function checkReplicas(cluster: Cluster, key: string): Promise<void> {
  const blobs = new BlobClient(account, key);
  await blobs.createContainer(container);
  for (const [name, content] of Object.entries(modelFiles)) await blobs.putBlob(container, name, content);
  log("model uploaded over TLS by account key");

  await cluster.kubectl(
    ["apply", "-f", "-"],
    JSON.stringify({ apiVersion: "v1", kind: "List", items: tritonObjects(key) }),
  );
  const rollout = await tryRun(kubectlProgram(), [
    ...["--kubeconfig", cluster.kubeconfig, "rollout", "status", "deployment/triton", "--timeout=180s"],
  ]);
  if (rollout.code !== 0) {
    const pods = await cluster.kubectl(["describe", "pods"]);
    throw new Error(`Triton is not ready: ${rollout.stderr}\n${pods.slice(-6000)}`);
  }
  const nodes = await cluster.kubectl(["get", "pods", "-l", "app=triton", "-o", "jsonpath={.items[*].spec.nodeName}"]);
  log(`two Triton pods are Ready on ${nodes}`);

  const body = { inputs: [{ name: "INPUT", shape: [1, 3], datatype: "FP32", data: [1, 2, 3] }] };
  const service = "http://triton.default.svc.cluster.local:8000";
  const response = await fetch(`${service}/v2/models/doubler/infer`, { method: "POST", body: JSON.stringify(body) });
  const answer = (await response.json()) as { outputs?: { data: number[] }[] };
  const data = answer.outputs?.[0]?.data.join(" ");
  if (data !== "2 4 6") throw new Error(`the inference answered ${JSON.stringify(answer)}`);
  log("inference through the Service: 1 2 3 became 2 4 6");
}

async function checkFakeNode(cluster: Cluster): Promise<void> {
  await cluster.kubectl(["create", "deployment", "anywhere", "--image=none", "--replicas=3"]);
  await cluster.kubectl(["rollout", "status", "deployment/anywhere", "--timeout=60s"]);
  log("three pods run on the fake node");
}

async function checkMetrics(cluster: Cluster): Promise<void> {
  await until(
    "metrics-server has figures of both Triton pods",
    async () => {
      const { status, text } = await cluster.api.request(
        "GET",
        "/apis/metrics.k8s.io/v1beta1/namespaces/default/pods?labelSelector=app%3Dtriton",
      );
      return status === 200 && (JSON.parse(text) as { items: unknown[] }).items.length >= 2;
    },
    {
      timeoutMs: 120_000,
      everyMs: 1000,
      onTimeout: () => cluster.kubectl(["get", "apiservice", "v1beta1.metrics.k8s.io", "-o", "yaml"]),
    },
  );
  log("metrics-server has figures of both Triton pods");
}

async function outside(): Promise<number> {
  requireParts();
  const { code, left } = await cleanRun(__filename, [], { keepLogs: process.argv.includes("--keep-logs") });
  if (left.length === 0) log("nothing is left: no process, mount, interface, listening port, control group or folder");
  return left.length > 0 ? 1 : code;
}

async function main(): Promise<void> {
  if (inSandbox()) await scenario();
  else process.exitCode = await outside();
}

main().catch((error: unknown) => {
  process.stderr.write(`e2e:smoke: ${error instanceof Error ? error.message : String(error)}\n`);
  // Whatever still runs ends with this program.
  process.exit(1);
});
