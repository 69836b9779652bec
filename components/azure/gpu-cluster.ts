import * as containerservice from "@pulumi/azure-native/containerservice";
import * as k8s from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import type { GpuPool, Principal, StackConfig } from "../../config";
import { type KubeloginMethod, withLogin } from "../../core/kubeconfig";
import { ordersSpotFirst, priorityExpander } from "../kubernetes/priority-expander";
import { createUserPool } from "./general-nodes";
import { grant } from "./grant";
import { clusterInputs, versionMoves } from "./managed-cluster";
import { createIdentity } from "./identity";
import type { Placement } from "./placement";
import { present } from "./present";

type ClusterConfig = StackConfig["cluster"];

export interface GpuClusterArgs extends Placement {
  readonly config: ClusterConfig;
  readonly network: Pick<StackConfig["network"], "podCidr" | "serviceCidr" | "outbound">;
  readonly virtualNetworkId: pulumi.Input<string>;
  readonly nodeSubnetId: pulumi.Input<string>;
  /** Address of the NAT gateway, if there is one: the nodes reach the API server from there. */
  readonly outboundAddress?: pulumi.Input<string> | undefined;
  /** Who may do everything inside the cluster; without one nobody may do anything. */
  readonly admins: readonly Principal[];
  /** The cluster's GPU pools, which decide how its autoscaler chooses between them. */
  readonly gpuPools: readonly Pick<GpuPool, "name" | "spot">[];
  /** How kubelogin gets its token where the program runs. */
  readonly login: KubeloginMethod;
  /** Whether the cluster is protected from deletion. */
  readonly protect: boolean;
  /** Seconds to wait after each role assignment. */
  readonly propagationSeconds: number;
}

/**
 * An AKS cluster for GPU pools, itself with two pools of general nodes: one for AKS's add-ons, and one without taints for
 * everything else that is not Triton. Access goes through Entra ID alone. The size of the system pool is fixed for the
 * cluster's life, as AKS cannot replace a cluster's inline pool.
 */
export class GpuCluster extends pulumi.ComponentResource {
  public readonly clusterId: pulumi.Output<string>;
  public readonly clusterName: pulumi.Output<string>;
  /** Issuer of the tokens of service accounts, for federated identity credentials. */
  public readonly oidcIssuerUrl: pulumi.Output<string>;
  /** Object id of the identity that pulls images. */
  public readonly kubeletPrincipalId: pulumi.Output<string>;
  /** Kubernetes version for node pools; undefined while an upgrade channel moves pools and control plane together. */
  public readonly nodeVersion: pulumi.Output<string> | undefined;
  /** Secret; logs in through kubelogin and never asks. */
  public readonly kubeconfig: pulumi.Output<string>;
  /** For everything inside the cluster: whatever uses it comes after rights and nodes, and goes before them. */
  public readonly provider: k8s.Provider;
  /** Pool without taints. */
  public readonly userPool: containerservice.AgentPool;

  constructor(name: string, args: GpuClusterArgs, opts?: pulumi.ComponentResourceOptions) {
    super("triton-azure:index:GpuCluster", name, {}, opts);
    const { config, resourceGroupName, propagationSeconds } = args;
    const child = { parent: this };

    // By it the control plane manages load balancers and nodes in our network.
    const identity = createIdentity(name, "cluster", args, child);
    const cluster = new containerservice.ManagedCluster(`${name}-aks`, clusterInputs(args, identity.id), {
      ...child,
      protect: args.protect,
      dependsOn: [
        grant(
          `${name}-network-contributor`,
          {
            principalId: identity.principalId,
            principalType: "ServicePrincipal",
            role: "networkContributor",
            scope: args.virtualNetworkId,
            propagationSeconds,
          },
          child,
        ),
      ],
      // Never the whole list of pools: the former one would be sent again, with pools that are gone.
      ignoreChanges: ["agentPoolProfiles[0].count", ...(versionMoves(config) ? ["kubernetesVersion"] : [])],
    });
    createMaintenanceWindows(name, config, { resourceGroupName, resourceName: cluster.name }, child);

    this.nodeVersion = config.upgradeChannel === "none" ? cluster.currentKubernetesVersion : undefined;
    this.userPool = createUserPool(name, { ...args, clusterName: cluster.name, version: this.nodeVersion }, child);

    const admins = args.admins.map(({ objectId, type }) =>
      grant(
        `${name}-admin-${objectId}`,
        {
          principalId: objectId,
          principalType: type,
          role: "aksRbacClusterAdmin",
          scope: cluster.id,
          propagationSeconds,
        },
        child,
      ),
    );

    this.clusterId = cluster.id;
    this.clusterName = cluster.name;
    this.oidcIssuerUrl = cluster.oidcIssuerProfile.apply((issuer) =>
      present(issuer?.issuerURL, missing("OIDC issuer")),
    );
    this.kubeletPrincipalId = cluster.identityProfile.apply((identities) =>
      present(identities?.["kubeletidentity"]?.objectId, missing("kubelet identity")),
    );
    this.kubeconfig = userKubeconfig(resourceGroupName, cluster, args.login, child);
    // Objects of a cluster that cannot be reached stay in the state: from outside a private network all of them would
    // vanish from it otherwise. PULUMI_K8S_DELETE_UNREACHABLE=true is for clusters that are truly gone.
    this.provider = new k8s.Provider(
      `${name}-kubernetes`,
      { kubeconfig: this.kubeconfig, enableServerSideApply: true },
      { ...child, dependsOn: [...admins, this.userPool] },
    );
    if (ordersSpotFirst(args.gpuPools)) {
      priorityExpander(`${name}-priority-expander`, args.gpuPools, { ...child, provider: this.provider });
    }
    this.registerOutputs({ clusterName: this.clusterName });
  }
}

const missing = (what: string): string => `AKS gave no ${what} for the cluster`;

/** Without windows of these names AKS upgrades Kubernetes and node images whenever it likes. */
function createMaintenanceWindows(
  name: string,
  { maintenance }: ClusterConfig,
  cluster: { resourceGroupName: pulumi.Input<string>; resourceName: pulumi.Input<string> },
  opts: pulumi.CustomResourceOptions,
): void {
  const { dayOfWeek, ...window } = maintenance;
  for (const [what, configName] of [
    ["kubernetes", "aksManagedAutoUpgradeSchedule"],
    ["node-image", "aksManagedNodeOSUpgradeSchedule"],
  ] as const) {
    new containerservice.MaintenanceConfiguration(
      `${name}-${what}-upgrades`,
      {
        ...cluster,
        configName,
        maintenanceWindow: { ...window, schedule: { weekly: { dayOfWeek, intervalWeeks: 1 } } },
      },
      opts,
    );
  }
}

/**
 * Credentials of users, never of admins: those are certificates that bypass Entra ID, and are refused while local
 * accounts are off. Of the cluster only its name goes in, which stays known while the cluster is updated: a kubeconfig
 * that a preview does not know would show every object in the cluster as replaced.
 */
function userKubeconfig(
  resourceGroupName: pulumi.Input<string>,
  cluster: containerservice.ManagedCluster,
  login: KubeloginMethod,
  opts: pulumi.InvokeOptions,
): pulumi.Output<string> {
  const credentials = containerservice.listManagedClusterUserCredentialsOutput(
    { resourceGroupName, resourceName: cluster.name, format: "exec" },
    opts,
  );
  return pulumi.secret(credentials).apply(({ kubeconfigs }) => {
    const encoded = present(kubeconfigs[0]?.value, missing("kubeconfig for users"));
    return withLogin(Buffer.from(encoded, "base64").toString("utf8"), login);
  });
}
