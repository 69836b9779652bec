import * as pulumi from "@pulumi/pulumi";
import { TritonAutoscaler } from "../../../components/kubernetes/autoscaler";
import { DevicePlugin } from "../../../components/kubernetes/device-plugin";
import { TritonServer } from "../../../components/kubernetes/triton-server";
import { GpuCluster } from "../../../components/azure/gpu-cluster";
import { GpuNodePool } from "../../../components/azure/gpu-node-pool";
import { ModelStore } from "../../../components/azure/model-store";
import { loadConfig, type StackConfig } from "../../../config";
import { input, type Resource, type Run, runProgram, type RunProgramOptions } from "../../support/engine";
import { admin, clusterArgs } from "../azure/cluster-fixture";

export const release = {
  id: "r2",
  sizeBytes: 3 * 2 ** 30,
  models: [
    { name: "classifier", versions: [1], platform: "onnxruntime_onnx" },
    { name: "scaler", versions: [1, 2], backend: "python" },
  ],
};

/** A valid configuration that serves a release, with some keys of one's own. */
export const configWith = (keys: Record<string, unknown> = {}): StackConfig =>
  loadConfig(
    {
      suffix: "abc123",
      environment: "dev",
      regions: [{ location: "westeurope" }],
      access: { clusterAdmins: [{ objectId: admin }] },
      releases: [{ ...release, id: "r1" }, release],
      release: "r2",
      ...keys,
    },
    true,
  ).config;

export interface TritonOptions extends RunProgramOptions {
  /** In plain text: to keep it secret is the component's part. */
  adminKey?: string;
}

/** Answers the same question once: a run takes long on a busy machine, and is never changed. */
function once(run: (keys: Record<string, unknown>, options: TritonOptions) => Promise<Run>) {
  const runs = new Map<string, Promise<Run>>();
  return (keys: Record<string, unknown> = {}, options: TritonOptions = {}): Promise<Run> => {
    const question = JSON.stringify([keys, options]);
    const answer = runs.get(question) ?? run(keys, options);
    runs.set(question, answer);
    return answer;
  };
}

const servedBy = ({ release: served }: StackConfig) => {
  if (served === undefined) throw new Error("the configuration serves no release");
  return served;
};

/** Model store, cluster with GPU pools, device plugin, Triton and autoscaler, wired as a region wires them. */
export const runRegion = once((keys, options) => {
  const config = configWith(keys);
  return runProgram(() => {
    const args = { ...clusterArgs(config), protect: false };
    const modelStore = new ModelStore("models", {
      ...args,
      config: config.modelStore,
      privateEndpointSubnetId: args.nodeSubnetId,
      publishers: [],
    });
    const cluster = new GpuCluster("cluster", args);
    const pools = config.gpuPools.map(
      (pool) => new GpuNodePool(`pool-${pool.name}`, { ...args, pool, clusterName: cluster.clusterName }),
    );
    const inCluster = { providers: [cluster.provider] };
    const plugin = new DevicePlugin("device-plugin", { ...config.cluster, pools: config.gpuPools }, inCluster);
    const triton = new TritonServer(
      "triton",
      {
        ...args,
        config,
        release: servedBy(config),
        oidcIssuerUrl: cluster.oidcIssuerUrl,
        modelStore,
        kubeconfig: cluster.kubeconfig,
        adminKey: options.adminKey,
      },
      { ...inCluster, dependsOn: [...pools, plugin] },
    );
    new TritonAutoscaler("autoscaler", { ...triton.target, config: config.autoscaling }, inCluster);
    return {
      namespace: triton.namespace,
      deploymentName: triton.deploymentName,
      serviceName: triton.serviceName,
      httpEndpoint: triton.httpEndpoint,
      grpcEndpoint: triton.grpcEndpoint,
    };
  }, options);
});

/** Triton and autoscaler alone, in a cluster that is there. */
export const runTriton = once((keys, options) => {
  const config = configWith(keys);
  return runProgram(() => {
    const args = clusterArgs(config);
    const triton = new TritonServer("triton", {
      ...args,
      config,
      release: servedBy(config),
      oidcIssuerUrl: "https://issuer.example/",
      modelStore: {
        accountName: "models",
        containerName: "model-repository",
        containerId: "/subscriptions/00000000-0000-4000-8000-000000000001/resourceGroups/rg/container",
        accountKey: pulumi.secret("account-key"),
      },
      kubeconfig: pulumi.secret(""),
      adminKey: options.adminKey,
    });
    new TritonAutoscaler("autoscaler", { ...triton.target, config: config.autoscaling });
  }, options);
});

export const helmReleaseOf = (run: Run): Resource => run.one("kubernetes:helm.sh/v3:Release");

/** The values that the chart gets. */
export const valuesOf = (run: Run): Record<string, unknown> => input(helmReleaseOf(run), "values");
