import * as fs from "node:fs";
import * as path from "node:path";
import { devicePluginImage } from "../../components/kubernetes/device-plugin";
import { defaultTritonTag } from "../../core/triton-image";
import { accountKey } from "../../tools/preview/engine";
import { Cluster } from "./parts/cluster/cluster";
import { BlobClient } from "./parts/lib/blob-client";
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
