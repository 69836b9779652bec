import { GpuCluster, type GpuClusterArgs } from "../../../components/azure/gpu-cluster";
import { GpuNodePool } from "../../../components/azure/gpu-node-pool";
import { DevicePlugin } from "../../../components/kubernetes/device-plugin";
import { loadConfig, type StackConfig } from "../../../config";
import { type Run, runProgram, type RunProgramOptions } from "../../support/engine";

const network = "/subscriptions/00000000-0000-4000-8000-000000000001/resourceGroups/rg/providers/Microsoft.Network";

export const admin = "11111111-1111-4111-8111-111111111111";

/** A valid configuration with some keys of one's own. */
export const configWith = (keys: Record<string, unknown> = {}): StackConfig =>
  loadConfig({
    suffix: "abc123",
    environment: "dev",
    regions: [{ location: "westeurope", addressSpace: "10.10.0.0/16" }],
    access: { clusterAdmins: [{ objectId: admin }] },
    ...keys,
  }).config;

export function clusterArgs(config: StackConfig, overrides: Partial<GpuClusterArgs> = {}): GpuClusterArgs {
  return {
    resourceGroupName: "rg",
    location: "westeurope",
    naming: { project: "triton-azure", stack: "dev", suffix: config.suffix, location: "westeurope" },
    tags: { project: "triton-azure" },
    config: config.cluster,
    network: config.network,
    virtualNetworkId: `${network}/virtualNetworks/vnet`,
    nodeSubnetId: `${network}/virtualNetworks/vnet/subnets/nodes`,
    admins: config.access.clusterAdmins,
    gpuPools: config.gpuPools,
    login: "azurecli",
    protect: config.environment === "prod",
    propagationSeconds: 0,
    ...overrides,
  };
}

const runs = new Map<string, Promise<Run>>();

/** Cluster, GPU pools and device plugin, wired as a region wires them. Equal arguments answer the same run. */
export function runCluster(
  keys: Record<string, unknown> = {},
  overrides: Partial<GpuClusterArgs> = {},
  options: Pick<RunProgramOptions, "dryRun"> = {},
): Promise<Run> {
  const key = JSON.stringify([keys, overrides, options]);
  const run = runs.get(key) ?? runProgram(() => createCluster(configWith(keys), overrides), options);
  runs.set(key, run);
  return run;
}

function createCluster(config: StackConfig, overrides: Partial<GpuClusterArgs>): void {
  const args = clusterArgs(config, overrides);
  const cluster = new GpuCluster("cluster", args);
  for (const pool of config.gpuPools) {
    new GpuNodePool(`pool-${pool.name}`, {
      ...args,
      pool,
      clusterName: cluster.clusterName,
      kubernetesVersion: cluster.nodeVersion,
    });
  }
  new DevicePlugin("device-plugin", { ...config.cluster, pools: config.gpuPools }, { providers: [cluster.provider] });
}
