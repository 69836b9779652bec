import assert from "node:assert/strict";
import type { types } from "@pulumi/kubernetes";
import { devicePluginImage } from "../../components/kubernetes/device-plugin";
import { defaultTritonTag } from "../../core/triton-image";
import { Cluster } from "./parts/cluster/cluster";
import { until } from "./parts/lib/process";
import { runFolder } from "./parts/lib/sandbox";
import { PulumiProject, type PulumiResult, type UpdateOptions } from "./parts/pulumi";
import { publish } from "./releases";
import { type Environment, modelAccount, type Settings, stackFile } from "./stack-file";
import { Cloud } from "./stand-ins/azure-native/cloud";

type Pod = types.output.core.v1.Pod;

const replicas = `labelSelector=${encodeURIComponent("app.kubernetes.io/component=server")}`;

/** A tag that every node has besides the default one, of the same image. */
export const newerTritonTag = "26.08-py3";

/** Everything a scenario works on: an empty cluster, an empty Azure and a fresh copy of the project. */
export class World {
  private constructor(
    readonly cluster: Cluster,
    readonly cloud: Cloud,
    readonly project: PulumiProject,
  ) {}

  /** Starts the parts; the cluster's nodes come with the node pools that the program declares. */
  static async start(name: string): Promise<World> {
    const cluster = await Cluster.start({
      metrics: true,
      images: {
        triton: [defaultTritonTag, newerTritonTag].map((tag) => `nvcr.io/nvidia/tritonserver:${tag}`),
        idle: [devicePluginImage],
      },
    });
    const cloudFolder = runFolder("azure", name);
    const project = PulumiProject.copy(name, {
      TRITON_AZURE_E2E_CLOUD: cloudFolder,
      TRITON_AZURE_E2E_KUBECONFIG: cluster.kubeconfig,
      TRITON_AZURE_E2E_ISSUER: cluster.serviceAccountIssuer,
    });
    return new World(cluster, new Cloud(cloudFolder), project);
  }

  stop(): Promise<void> {
    return this.cluster.stop();
  }

  /** The policy pack with an environment's settings, for every preview and `up`. */
  static policies(environment: Environment = "dev"): UpdateOptions {
    return { policyPack: "policies", policyPackConfig: `policies/config/${environment}.json` };
  }

  /**
   * A stack that serves the last of the settings' releases with two Ready replicas. Its node pools, stores and
   * containers come first, then the releases are published, as a newcomer is told to do.
   */
  async deploy(settings: Settings): Promise<void> {
    const { environment = "dev", releases = [] } = settings;
    await this.project.stackInit(environment);
    await this.up({ ...settings, releases: [] });
    for (const release of releases) await publish(modelAccount(environment), release);
    await this.up(settings);
    await this.replicasAreReady();
  }

  /** Writes the stack file and runs `up` with the policy pack. The stack is called like its environment. */
  async up(settings: Settings): Promise<PulumiResult> {
    const { environment = "dev" } = settings;
    this.project.writeStackFile(environment, stackFile(settings));
    return this.project.up(environment, World.policies(environment));
  }

  /**
   * Starts an `up` that is to fail. The times of Triton's start are short, so that it fails soon; the policy pack, which
   * would refuse them, is left out. For stacks of dev.
   */
  start(settings: Settings): ReturnType<PulumiProject["start"]> {
    const startup = { nodeSeconds: 0, pullSeconds: 0, propagationSeconds: 0, perModelSeconds: 5, budgetSeconds: 30 };
    const sections = { ...settings.sections, triton: { ...settings.sections?.["triton"], startup } };
    this.project.writeStackFile("dev", stackFile({ ...settings, sections }));
    return this.project.start(["up", "--stack", "dev", "--yes", "--skip-preview"]);
  }

  /** Runs an `up` that has to fail, as `start` does, and returns what it wrote. */
  async upFails(settings: Settings): Promise<string> {
    const { code, stdout, stderr } = await this.start(settings).result;
    assert.notEqual(code, 0, "`up` did not fail");
    return `${stdout}\n${stderr}`;
  }

  /** Waits until there are just so many replicas of Triton, all Ready. */
  async replicasAreReady(count = 2, timeoutMs = 120_000): Promise<void> {
    // The chart leaves the number to the autoscaler, which raises it from one at its next look.
    const areReady = async (): Promise<boolean> => {
      const pods = await this.tritonPods();
      return (
        pods.length === count && pods.every(({ status }) => (status.containerStatuses ?? []).some(({ ready }) => ready))
      );
    };
    await until(`${String(count)} replicas of Triton are Ready`, areReady, {
      timeoutMs,
      everyMs: 500,
      onTimeout: () => this.cluster.kubectl(["describe", "pods,hpa", "-n", "triton"]),
    });
  }

  /** Triton's pods, without those that are ending. */
  async tritonPods(): Promise<Pod[]> {
    const { items } = await this.cluster.api.get<{ items: Pod[] }>(`/api/v1/namespaces/triton/pods?${replicas}`);
    // The API leaves out the time for pods that nobody has deleted, which the type does not say.
    return items.filter(({ metadata }) => (metadata.deletionTimestamp as string | undefined) === undefined);
  }
}
