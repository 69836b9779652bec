import assert from "node:assert/strict";
import * as fs from "node:fs";
import * as path from "node:path";
import { currentFactor, underLoad } from "../gain-load";
import { brokenGain, gain, publish, type Release } from "../releases";
import { type Scenario } from "../scenario";
import { modelAccount } from "../stack-file";
import { type World } from "../world";

// An answer's factor tells which release gave it.
const first: Release = { id: "first", models: [gain(2)] };
const second: Release = { id: "second", models: [gain(3)] };
const broken: Release = { id: "broken", models: [brokenGain] };

export const scenario: Scenario = {
  steps: [
    {
      promise: "a release is served",
      run: async (world) => {
        await world.deploy({ releases: [first] });
        assert.equal(await currentFactor(), "2");
      },
    },
    {
      promise: "the next release takes over without a failed request",
      run: async (world) => {
        await publish(modelAccount(), second);
        const answers = await underLoad(async () => {
          await world.up({ releases: [first, second] });
          await world.replicasAreReady();
        });
        assert.deepEqual([...answers.keys()].sort(), ["2", "3"]);
        assert.equal(await currentFactor(), "3");
      },
    },
    {
      promise: "one word in the stack file brings the former release back without a failed request",
      run: async (world) => {
        const answers = await underLoad(async () => {
          await world.up({ releases: [first, second], release: "first" });
          await world.replicasAreReady();
        });
        assert.deepEqual([...answers.keys()].sort(), ["2", "3"]);
        assert.equal(await currentFactor(), "2");
      },
    },
    {
      promise: "a broken release fails `up` with its pod's own message while the former one serves",
      run: async (world) => {
        await publish(modelAccount(), broken);
        const answers = await underLoad(async () => {
          const output = await world.upFails({ releases: [first, second, broken] });
          assert.match(output, /triton\/triton/);
          assert.match(output, /inference.ModelConfig: 2:17: Expected integer, got: many/);
        });
        assert.deepEqual([...answers.keys()], ["2"]);
      },
    },
    {
      promise: "the next `up` of a good release repairs it without a failed request",
      run: async (world) => {
        const answers = await underLoad(async () => {
          await world.up({ releases: [first, second, broken], release: "second" });
          await world.replicasAreReady();
        });
        assert.deepEqual([...answers.keys()].sort(), ["2", "3"]);
        assert.equal(await currentFactor(), "3");
      },
    },
    {
      promise: "an edited template of the chart alone rolls the pods",
      run: async (world) => {
        const before = await podNames(world);
        const template = path.join(world.project.folder, "charts", "triton", "templates", "deployment.yaml");
        fs.appendFileSync(template, "\n# edited\n");
        await underLoad(async () => {
          await world.up({ releases: [first, second, broken], release: "second" });
          await world.replicasAreReady();
        });
        const after = await podNames(world);
        assert.deepEqual(
          after.filter((pod) => before.includes(pod)),
          [],
        );
      },
    },
  ],
};

const podNames = async (world: World): Promise<string[]> =>
  (await world.tritonPods()).map(({ metadata }) => metadata.name);
