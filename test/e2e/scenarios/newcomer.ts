import assert from "node:assert/strict";
import { featureScaler, publish, type Release } from "../releases";
import { type Scenario } from "../scenario";
import { modelAccount, stackFile } from "../stack-file";
import { World } from "../world";

const first: Release = { id: "first", models: [featureScaler] };
const policies = World.policies();

export const scenario: Scenario = {
  steps: [
    {
      promise: "a stack can be previewed before anything exists",
      run: async ({ project, cloud }) => {
        await project.stackInit("dev", stackFile());
        await project.preview("dev", policies);
        assert.deepEqual(cloud.all(), []);
      },
    },
    {
      promise: "`up` without a release makes the cluster and the stores",
      run: (world) => world.up({}),
    },
    {
      promise: "`up` with a published release makes two Ready replicas of Triton",
      run: async (world) => {
        await publish(modelAccount(), first);
        await world.up({ releases: [first] });
        await world.replicasAreReady();
      },
    },
    {
      promise: "a preview after `up` shows no change",
      run: async ({ project }) => void (await project.preview("dev", { ...policies, args: ["--expect-no-changes"] })),
    },
    {
      promise: "a refresh after `up` shows no change",
      run: async ({ project }) => void (await project.refresh("dev", { args: ["--expect-no-changes"] })),
    },
    {
      promise: "`destroy` leaves nothing",
      run: async ({ project, cloud }) => {
        await project.destroy("dev");
        assert.deepEqual((await project.export("dev")).deployment.resources ?? [], []);
        assert.deepEqual(cloud.all(), []);
      },
    },
  ],
};
