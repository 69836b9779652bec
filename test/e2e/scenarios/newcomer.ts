import assert from "node:assert/strict";
import { until } from "../parts/lib/process";
import { type Scenario } from "../scenario";
import { type World } from "../world";

const account = "modelsdevwesteuropee2etr";
const policies = { policyPack: "policies", policyPackConfig: "policies/config/dev.json" };

/** Settings of dev on this machine: an account key, for Triton's older CPU image knows no workload identity. */
const settings = (release: string): string => `config:
  triton-azure:suffix: e2etr
  triton-azure:environment: dev
  triton-azure:regions:
    - location: westeurope
  triton-azure:access:
    clusterAdmins:
      - objectId: 11111111-1111-4111-8111-111111111111
        type: Group
    # The stand-in for Azure takes a role at once.
    propagationSeconds: 0
  triton-azure:modelStore:
    auth: account-key
  # Two replicas on a machine of two cores.
  triton-azure:triton:
    resources:
      cpu: 250m
      memory: 2Gi
      sharedMemory: 512Mi
${release}`;

const release = `  triton-azure:releases:
    - id: first
      sizeBytes: 4096
      models:
        - name: feature-scaler
          versions: [1, 2]
          backend: python
          description: Scales features
          tags: { framework: Python }
  triton-azure:release: first
`;

const up = async (world: World): Promise<void> => void (await world.project.up("dev", policies));

/** Readiness of each of Triton's containers, such as `true false`. */
const ready = ({ cluster }: World): Promise<string> =>
  cluster.kubectl([
    ...["get", "pods", "-n", "triton", "-l", "app.kubernetes.io/name=triton"],
    ...["-o", "jsonpath={.items[*].status.containerStatuses[*].ready}"],
  ]);

export const newcomer: Scenario = {
  name: "newcomer",
  steps: [
    {
      promise: "a stack can be previewed before anything exists",
      run: async ({ project, cloud }) => {
        await project.stackInit("dev", settings(""));
        await project.preview("dev", policies);
        assert.deepEqual(cloud.all(), []);
      },
    },
    { promise: "`up` without a release makes the cluster and the stores", run: up },
    {
      promise: "`up` with a published release makes two Ready replicas of Triton",
      run: async (world) => {
        await world.publish(account, "first", ["feature-scaler"]);
        world.project.writeStackFile("dev", settings(release));
        await up(world);
        // The chart leaves the number to the autoscaler, which raises it from one at its next look, every 15 s.
        await until("two replicas of Triton are Ready", async () => (await ready(world)) === "true true", {
          timeoutMs: 120_000,
          onTimeout: () => world.cluster.kubectl(["describe", "pods,hpa", "-n", "triton"]),
        });
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
