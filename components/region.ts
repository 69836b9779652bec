import * as resources from "@pulumi/azure-native/resources";
import * as pulumi from "@pulumi/pulumi";
import type { RegionConfig, StackConfig } from "../config";
import type { KubeloginMethod } from "../core/kubeconfig";
import { type Naming, nameFor } from "../core/naming";
import type { RegionProgress } from "../core/next-step";
import { GpuCluster } from "./azure/gpu-cluster";
import { GpuNodePool } from "./azure/gpu-node-pool";
import { keepsData } from "./azure/keeps-data";
import { ModelStore } from "./azure/model-store";
import { Network } from "./azure/network";
import type { Registry } from "./azure/registry";
import { TritonAutoscaler } from "./kubernetes/autoscaler";
import { DevicePlugin } from "./kubernetes/device-plugin";
import { TritonServer } from "./kubernetes/triton-server";

export interface RegionArgs {
  readonly config: StackConfig;
  readonly region: RegionConfig;
  /** Project, stack and suffix; the region adds its location. */
  readonly naming: Naming;
  readonly tags: Record<string, string>;
  readonly registry: Registry;
  /** How kubelogin gets its token where the program runs. */
  readonly login: KubeloginMethod;
  /** Secret; needed when `config.triton.restrictedApis` names any. */
  readonly adminKey?: pulumi.Input<string> | undefined;
}

/**
 * One serving region: network, model store, cluster with GPU pools, and, once a release is named and the region serves,
 * Triton with its autoscaler. Regions share nothing but the container registry, so that one can be lost or removed alone.
 */
export class Region extends pulumi.ComponentResource {
  public readonly location: string;
  public readonly modelStore: ModelStore;
  /** Undefined while no release is named or the region does not serve. */
  public readonly triton: TritonServer | undefined;
  /** How far the region is, for the stack's `nextStep`. */
  public readonly progress: pulumi.Output<RegionProgress>;

  constructor(name: string, args: RegionArgs, opts?: pulumi.ComponentResourceOptions) {
    super("triton-azure:index:Region", name, {}, opts);
    const { config, region, tags, registry } = args;
    const { location } = region;
    const { propagationSeconds } = config.access;
    const protect = config.environment === "prod";
    const naming: Naming = { ...args.naming, location };
    const child = { parent: this };

    const group = new resources.ResourceGroup(
      `group-${location}`,
      { resourceGroupName: nameFor(naming, "resourceGroup"), location, tags },
      { ...child, ...keepsData(protect) },
    );
    const place = { resourceGroupName: group.name, location, naming, tags, propagationSeconds };

    const network = new Network(
      `network-${location}`,
      {
        ...place,
        ...config.network,
        addressSpace: region.addressSpace,
        privateEndpoints: config.modelStore.network === "private-endpoint",
      },
      child,
    );
    this.modelStore = new ModelStore(
      `models-${location}`,
      {
        ...place,
        ...network.forPrivateEndpoints,
        config: config.modelStore,
        protect,
        nodeSubnetId: network.nodeSubnetId,
        publishers: config.access.publishers,
      },
      child,
    );
    const cluster = new GpuCluster(
      `cluster-${location}`,
      {
        ...place,
        config: config.cluster,
        network: config.network,
        virtualNetworkId: network.virtualNetworkId,
        nodeSubnetId: network.nodeSubnetId,
        outboundAddress: network.outboundAddress,
        admins: config.access.clusterAdmins,
        gpuPools: config.gpuPools,
        login: args.login,
        protect,
      },
      child,
    );
    registry.grantPull(`pull-${location}`, cluster.kubeletPrincipalId, propagationSeconds);
    const pools = config.gpuPools.map(
      (pool) =>
        new GpuNodePool(
          `pool-${location}-${pool.name}`,
          {
            ...place,
            clusterName: cluster.clusterName,
            kubernetesVersion: cluster.nodeVersion,
            nodeSubnetId: network.nodeSubnetId,
            pool,
          },
          child,
        ),
    );
    const inCluster = { ...child, providers: [cluster.provider] };
    const devicePlugin = new DevicePlugin(
      `device-plugin-${location}`,
      { ...config.cluster, pools: config.gpuPools },
      inCluster,
    );

    if (config.release !== undefined && region.serving) {
      this.triton = new TritonServer(
        `triton-${location}`,
        {
          ...place,
          config,
          release: config.release,
          oidcIssuerUrl: cluster.oidcIssuerUrl,
          modelStore: this.modelStore,
          kubeconfig: cluster.kubeconfig,
          adminKey: args.adminKey,
        },
        { ...inCluster, dependsOn: [...pools, devicePlugin, this.modelStore] },
      );
      new TritonAutoscaler(`autoscaler-${location}`, { ...this.triton.target, config: config.autoscaling }, inCluster);
    }

    this.location = location;
    this.progress = pulumi.output({
      resourceGroup: group.name,
      cluster: cluster.clusterName,
      account: this.modelStore.accountName,
      tritonNamespace: this.triton?.namespace,
    });
    this.registerOutputs({ progress: this.progress });
  }
}
