import assert from "node:assert/strict";
import { run } from "./parts/lib/run";
import { featureScaler, publish, type Release } from "./releases";
import { type Step } from "./scenario";
import { type Environment, modelAccount, type Settings, suffix } from "./stack-file";
import { World } from "./world";

export const first: Release = { id: "first", models: [featureScaler] };

/** The steps of the README for a new stack, in their order, up to a stack that serves and stays as it is. */
export function newcomerOrder(environment: Environment): Step[] {
  const policies = World.policies(environment);
  const serving: Settings = { environment, releases: [first] };
  return [
    {
      promise: "`npm run init` writes a stack file that can be previewed before anything exists",
      run: async ({ project, cloud }) => {
        const answers = [
          "--location",
          "westeurope",
          "--admin",
          "11111111-1111-4111-8111-111111111111",
          "--suffix",
          suffix,
        ];
        await run("npm", ["run", "--silent", "init", "--", "--stack", environment, ...answers], {
          cwd: project.folder,
        });
        await project.stackInit(environment);
        await project.preview(environment, policies);
        assert.deepEqual(cloud.all(), []);
      },
    },
    {
      promise: "`up` without a release makes the cluster and the stores",
      run: async (world) => {
        await world.up({ environment });
        assert.ok(world.cloud.all("ManagedCluster").length === 1 && world.cloud.all("BlobContainer").length > 0);
        assert.deepEqual(await world.tritonPods(), []);
      },
    },
    {
      promise: "`up` with a published release makes two Ready replicas of Triton",
      run: async (world) => {
        await publish(modelAccount(environment), first);
        await world.up(serving);
        await world.replicasAreReady();
      },
    },
    {
      promise: "a preview after `up` shows no change",
      run: async ({ project }) =>
        void (await project.preview(environment, { ...policies, args: ["--expect-no-changes"] })),
    },
    {
      promise: "a refresh after `up` shows no change",
      run: async ({ project }) => void (await project.refresh(environment, { args: ["--expect-no-changes"] })),
    },
  ];
}
