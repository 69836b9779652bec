import * as fs from "node:fs";
import * as path from "node:path";
import { accountKey } from "../../tools/preview/engine";
import { kubectlProgram } from "./parts/build/npm";
import { Cluster } from "./parts/cluster/cluster";
import { BlobClient } from "./parts/lib/blob-client";
import { run } from "./parts/lib/run";
import { runFolder } from "./parts/lib/sandbox";
import { PulumiProject } from "./parts/pulumi";
import { Cloud } from "./stand-ins/azure-native/cloud";

const modelsFolder = path.resolve(__dirname, "..", "..", "examples", "models");

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
        triton: ["nvcr.io/nvidia/tritonserver:26.07-py3"],
        idle: ["nvcr.io/nvidia/k8s-device-plugin:v0.18.0"],
      },
    });
    const cloudFolder = runFolder("azure", name);
    const variables = {
      TRITON_AZURE_E2E_CLOUD: cloudFolder,
      TRITON_AZURE_E2E_KUBECONFIG: cluster.kubeconfig,
    };
    const project = PulumiProject.copy(name, undefined, variables);
    return new World(cluster, new Cloud(cloudFolder), project);
  }

  stop(): Promise<void> {
    return this.cluster.stop();
  }

  kubectl(args: readonly string[]): Promise<string> {
    return run(kubectlProgram(), ["--kubeconfig", this.cluster.kubeconfig, ...args]);
  }

  /** Uploads sample models as a release, file by file. */
  async publish(account: string, release: string, models: readonly string[]): Promise<void> {
    const blobs = new BlobClient(account, accountKey);
    for (const model of models) {
      const folder = path.join(modelsFolder, model);
      for (const file of fs.readdirSync(folder, { recursive: true, encoding: "utf8" })) {
        const source = path.join(folder, file);
        if (!fs.statSync(source).isFile()) continue;
        await blobs.putBlob("model-repository", `releases/${release}/${model}/${file}`, fs.readFileSync(source));
      }
    }
  }
}
