import assert from "node:assert/strict";
import * as dns from "node:dns/promises";
import { type Answer, GrpcInference, inferHttp, type Query, requestHttp, service } from "../inference";
import { helmProgram } from "../parts/build/npm";
import { run } from "../parts/lib/run";
import { featureScaler, gain, type Release } from "../releases";
import { type Scenario } from "../scenario";
import { type World } from "../world";

const release: Release = { id: "first", models: [featureScaler, gain(2, { milliseconds: 20 })] };

const rows = [
  [1, 2, 3],
  [4, 4, 10],
];
const scale: Query = { model: "feature-scaler", input: "features", rows };
const low = Math.sqrt(3 / 2);
const flat = Math.sqrt(1 / 2);
/** What the versions of `feature-scaler` make of the rows. */
const scaled = {
  1: [0, 0.5, 1, 0, 0, 1],
  2: [-low, 0, low, -flat, -flat, 2 * flat],
};

export const scenario: Scenario = {
  steps: [
    {
      promise: "two replicas on two nodes load the release from Blob Storage",
      run: async (world) => {
        await world.deploy({ releases: [release] });
        assert.equal(new Set((await world.tritonPods()).map(({ spec }) => spec.nodeName)).size, 2);
        for (const address of await podAddresses(world)) assert.deepEqual(await readyModels(address), loaded);
      },
    },
    {
      promise: "HTTP and gRPC answer with the right numbers, by version, the highest by default",
      run: async () => {
        const client = new GrpcInference();
        for (const infer of [(query: Query) => inferHttp(query), (query: Query) => client.infer(query)]) {
          isAnswer(await infer({ ...scale, version: 1 }), 1);
          isAnswer(await infer({ ...scale, version: 2 }), 2);
          isAnswer(await infer(scale), 2);
          await assert.rejects(infer({ ...scale, version: 3 }), /version/);
        }
        client.close();
      },
    },
    {
      promise: "requests that come together are answered in batches",
      run: async (world) => {
        const [address = ""] = await podAddresses(world);
        const before = await inferenceCounts(address);
        const requests = Array.from({ length: 24 }, (_, index) =>
          inferHttp({ model: "gain", input: "INPUT", rows: [[index]] }, address),
        );
        const answers = await Promise.all(requests);
        assert.deepEqual(
          answers.map(({ values }) => values),
          requests.map((_, index) => [2 * index]),
        );
        const after = await inferenceCounts(address);
        assert.equal(after.inferences - before.inferences, 24);
        const executions = after.executions - before.executions;
        assert.ok(executions < 12, `24 requests took ${String(executions)} executions`);
      },
    },
    {
      promise: "the Services lead to both replicas, and each shows its own metrics on port 8002",
      run: async (world) => {
        const addresses = (await podAddresses(world)).sort();
        assert.deepEqual((await dns.resolve4(service.replace("triton.", "triton-headless."))).sort(), addresses);
        const before = await Promise.all(addresses.map(inferenceCounts));
        for (let request = 0; request < 40; request++) await inferHttp(gainOnce);
        const after = await Promise.all(addresses.map(inferenceCounts));
        const answered = after.map(({ inferences }, index) => inferences - (before[index]?.inferences ?? 0));
        assert.equal(
          answered.reduce((sum, count) => sum + count),
          40,
        );
        assert.ok(Math.min(...answered) > 0, `the replicas answered ${answered.join(" and ")} requests`);
      },
    },
    {
      promise: "`helm test` passes",
      run: async ({ cluster }) => {
        const output = await run(helmProgram(), [
          ...["test", "triton", "--namespace", "triton", "--logs", "--kubeconfig", cluster.kubeconfig],
        ]);
        assert.match(output, /\/v2\/models\/feature-scaler\/ready: ok/);
      },
    },
    {
      promise: "the container has the user, file systems, memory and volumes that were asked for, and no token",
      run: async (world) => {
        const [pod] = await world.tritonPods();
        const exec = (script: string): Promise<string> =>
          world.cluster
            .kubectl(["exec", "-n", "triton", pod?.metadata.name ?? "", "--", "sh", "-c", script])
            .then((text) => text.trim());
        assert.equal(await exec("id -u; id -g"), "1000\n1000");
        assert.equal(await exec("touch /probe 2>/dev/null && echo written || echo refused"), "refused");
        assert.equal(
          await exec("touch /tmp/probe /dev/shm/probe /var/lib/triton/models/probe && echo written"),
          "written",
        );
        assert.equal(await exec("df --output=size --block-size=1M /dev/shm | tail -1"), "512");
        assert.equal(await exec(`cat ${memoryLimitFiles} 2>/dev/null; true`), String(2 * 1024 ** 3));
        assert.equal(await exec("ls /var/run/secrets 2>/dev/null | wc -l"), "0");
        assert.equal(await exec("grep CapEff /proc/1/status | cut -f2"), "0000000000000000");
        assert.match(await exec("ls /var/lib/triton/models"), /azure_|probe/);
      },
    },
  ],
};

/** Where control groups of version 2 or 1 show a container its limit. */
const memoryLimitFiles = "/sys/fs/cgroup/memory.max /sys/fs/cgroup/memory/memory.limit_in_bytes";

const gainOnce: Query = { model: "gain", input: "INPUT", rows: [[1]] };

const loaded = ["feature-scaler 1", "feature-scaler 2", "gain 1"];

const podAddresses = async (world: World): Promise<string[]> =>
  (await world.tritonPods()).map(({ status }) => status.podIP);

function isAnswer({ version, values }: Answer, expected: 1 | 2): void {
  assert.equal(version, expected);
  assert.equal(values.length, scaled[expected].length);
  scaled[expected].forEach((value, index) => {
    const answered = values[index] ?? NaN;
    assert.ok(Math.abs(answered - value) < 1e-5, `${values.join(", ")} are not ${scaled[expected].join(", ")}`);
  });
}

/** Name and version of each model that a replica serves. */
async function readyModels(address: string): Promise<string[]> {
  const { text } = await requestHttp("POST", `http://${address}:8000/v2/repository/index`, {});
  const models = JSON.parse(text) as { name: string; version?: string; state?: string }[];
  return models
    .filter(({ state }) => state === "READY")
    .map(({ name, version }) => `${name} ${version ?? ""}`)
    .sort();
}

/** Inferences of the model `gain`, and executions that they took. */
async function inferenceCounts(address: string): Promise<{ inferences: number; executions: number }> {
  const { status, text } = await requestHttp("GET", `http://${address}:8002/metrics`);
  assert.equal(status, 200);
  const value = (metric: string): number =>
    Number(new RegExp(`^${metric}\\{model="gain",version="1"\\} (\\S+)$`, "m").exec(text)?.[1]);
  return { inferences: value("nv_inference_count"), executions: value("nv_inference_exec_count") };
}
