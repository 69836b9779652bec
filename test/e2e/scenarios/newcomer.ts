import assert from "node:assert/strict";
import { newcomerOrder } from "../newcomer-order";
import { type Scenario } from "../scenario";

export const scenario: Scenario = {
  steps: [
    ...newcomerOrder("dev"),
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
