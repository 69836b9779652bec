import { devicePluginImage } from "../../components/kubernetes/device-plugin";
import { defaultTritonTag } from "../../core/triton-image";
import { Cluster } from "./parts/cluster/cluster";
import { until } from "./parts/lib/process";
import { runFolder } from "./parts/lib/sandbox";
import { PulumiProject, type UpdateOptions } from "./parts/pulumi";
import { publish } from "./releases";
import { modelAccount, type Settings, stackFile } from "./stack-file";
import { Cloud } from "./stand-ins/azure-native/cloud";

const replicaPods = ["-n", "triton", "-l", "app.kubernetes.io/name=triton"];

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
        triton: [`nvcr.io/nvidia/tritonserver:${defaultTritonTag}`],
        idle: [devicePluginImage],
      },
    });
    const cloudFolder = runFolder("azure", name);
    const project = PulumiProject.copy(name, {
      TRITON_AZURE_E2E_CLOUD: cloudFolder,
      TRITON_AZURE_E2E_KUBECONFIG: cluster.kubeconfig,
    });
    return new World(cluster, new Cloud(cloudFolder), project);
  }

  stop(): Promise<void> {
    return this.cluster.stop();
  }

  /** The policy pack with an environment's settings, for every preview and `up`. */
  static policies(environment: "dev" | "prod" = "dev"): UpdateOptions {
    return { policyPack: "policies", policyPackConfig: `policies/config/${environment}.json` };
  }

  /**
   * A stack of dev that serves the last of the settings' releases with two Ready replicas. Its node pools, stores and
   * containers come first, then the releases are published, as a newcomer is told to do.
   */
  async deploy(settings: Settings): Promise<void> {
    await this.project.stackInit("dev", stackFile({ ...settings, releases: [] }));
    await this.project.up("dev", World.policies());
    for (const release of settings.releases ?? []) await publish(modelAccount(), release);
    await this.up(settings);
    await this.replicasAreReady();
  }

  /** Writes the stack file of dev and runs `up` with the policy pack. */
  async up(settings: Settings): Promise<void> {
    this.project.writeStackFile("dev", stackFile(settings));
    await this.project.up("dev", World.policies());
  }

  /** Waits until there are just so many replicas of Triton, all Ready. */
  async replicasAreReady(count = 2, timeoutMs = 120_000): Promise<void> {
    // The chart leaves the number to the autoscaler, which raises it from one at its next look.
    const wanted = Array.from({ length: count }, () => "true").join(" ");
    const ready = ["-o", "jsonpath={.items[*].status.containerStatuses[*].ready}"];
    await until(
      `${String(count)} replicas of Triton are Ready`,
      async () => (await this.cluster.kubectl(["get", "pods", ...replicaPods, ...ready])) === wanted,
      { timeoutMs, everyMs: 500, onTimeout: () => this.cluster.kubectl(["describe", "pods,hpa", "-n", "triton"]) },
    );
  }

  /** Names of Triton's pods. */
  async tritonPods(): Promise<string[]> {
    const names = await this.cluster.kubectl([
      "get",
      "pods",
      ...replicaPods,
      "-o",
      "jsonpath={.items[*].metadata.name}",
    ]);
    return names.split(" ").filter((name) => name !== "");
  }
}
