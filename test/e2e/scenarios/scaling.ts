import assert from "node:assert/strict";
import { underLoad } from "../gain-load";
import { inferHttp } from "../inference";
import { until } from "../parts/lib/process";
import { busy, gain, type Release } from "../releases";
import { type Scenario } from "../scenario";
import { type Settings } from "../stack-file";
import { Traffic } from "../traffic";
import { World } from "../world";

const release: Release = { id: "first", models: [gain(2), busy(30)] };

const windowSeconds = 30;

/** Two nodes of four GPUs: room for four replicas and for more of them during a roll-out. */
const settings: Settings = {
  releases: [release],
  sections: {
    gpuPools: [{ name: "t4", vmSize: "Standard_NC64as_T4_v3" }],
    autoscaling: { max: 4, scaleDownWindowSeconds: windowSeconds },
  },
};

/** Keeps about one core busy. */
const load = (): Traffic =>
  new Traffic(
    async () => {
      await inferHttp({ model: "busy", input: "INPUT", rows: [[1]] });
      return "busy";
    },
    { clients: 2, pauseMs: 30, atMostSeconds: 300 },
  );

let traffic: Traffic;

export const scenario: Scenario = {
  steps: [
    {
      promise: "at rest there are two replicas, and the autoscaler knows their use of CPU",
      run: async (world) => {
        await world.deploy(settings);
        await until("the autoscaler reads metrics", async () => (await cpuPercent(world)) !== undefined, {
          timeoutMs: 120_000,
          everyMs: 1000,
        });
        const percent = await cpuPercent(world);
        assert.ok(percent !== undefined && percent < 70, `the replicas use ${String(percent)} % at rest`);
        assert.equal(await wantedReplicas(world), 2);
      },
    },
    {
      promise: "load raises them to the maximum",
      run: async (world) => {
        traffic = load();
        await world.replicasAreReady(4, 240_000);
        assert.equal(await wantedReplicas(world), 4);
      },
    },
    {
      promise: "an `up` and a refresh meanwhile leave the number to the autoscaler",
      run: async (world) => {
        const before = (await world.tritonPods()).map(({ metadata }) => metadata.name);
        const unchanged = { args: ["--expect-no-changes"] };
        await world.project.up("dev", { ...World.policies(), ...unchanged });
        await world.project.refresh("dev", unchanged);
        assert.deepEqual(
          (await world.tritonPods()).map(({ metadata }) => metadata.name),
          before,
        );
      },
    },
    {
      promise: "after the load and a lull they go down to two again, without a failed request",
      run: async (world) => {
        const { failures } = await traffic.stop();
        assert.deepEqual(failures, []);
        const start = Date.now();
        await underLoad(async () => {
          await until("the autoscaler takes a replica away", async () => (await wantedReplicas(world)) < 4, {
            timeoutMs: 180_000,
            everyMs: 1000,
          });
          const seconds = (Date.now() - start) / 1000;
          // One look of the autoscaler, 5 s, may lie before the end of the load.
          assert.ok(seconds >= windowSeconds - 5, `it waited ${seconds.toFixed(0)} s only`);
          await world.replicasAreReady(2, 240_000);
        });
      },
    },
  ],
};

interface Autoscaler {
  readonly status: {
    readonly desiredReplicas: number;
    readonly currentMetrics?: readonly { readonly resource?: { readonly current: { averageUtilization?: number } } }[];
  };
}

const autoscaler = (world: World): Promise<Autoscaler> =>
  world.cluster.api.get("/apis/autoscaling/v2/namespaces/triton/horizontalpodautoscalers/triton");

const cpuPercent = async (world: World): Promise<number | undefined> =>
  (await autoscaler(world)).status.currentMetrics?.[0]?.resource?.current.averageUtilization;

const wantedReplicas = async (world: World): Promise<number> => (await autoscaler(world)).status.desiredReplicas;
