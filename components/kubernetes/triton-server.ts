import * as k8s from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import type { StackConfig } from "../../config";
import type { Release } from "../../core/release";
import { chartDigest, tritonChart } from "./chart";
import { releaseHooks } from "./release-hooks";
import { createTritonIdentity } from "./triton-identity";
import { rolloutSeconds, type StorageAccess, tritonValues } from "./triton-values";
import type { Placement } from "../azure/placement";

export interface TritonServerArgs extends Placement {
  readonly config: StackConfig;
  /** The model release to serve. */
  readonly release: Release;
  /** Issuer of the cluster's service account tokens. */
  readonly oidcIssuerUrl: pulumi.Input<string>;
  readonly modelStore: {
    readonly accountName: pulumi.Input<string>;
    readonly containerName: pulumi.Input<string>;
    readonly containerId: pulumi.Input<string>;
    /** Secret; needed with `modelStore.auth: account-key`. */
    readonly accountKey?: pulumi.Input<string> | undefined;
  };
  /** Secret; needed when `triton.restrictedApis` names any. */
  readonly adminKey?: pulumi.Input<string> | undefined;
  /** Secret. With it the program looks into the cluster before and after a roll-out, see `releaseHooks`. */
  readonly kubeconfig: pulumi.Input<string>;
  /** Seconds to wait after each role assignment and federated credential. */
  readonly propagationSeconds: number;
}

/** Name of Triton's namespace, of its Helm release and of all that the chart makes. */
const tritonName = "triton";

/**
 * Triton in one region, serving one model release: its namespace, its right to read the model store, and the Helm release
 * of the chart. Pods start when their rights are in force and GPUs are there (`dependsOn`), and go before those.
 */
export class TritonServer extends pulumi.ComponentResource {
  public readonly namespace: pulumi.Output<string>;
  public readonly deploymentName: pulumi.Output<string>;
  public readonly serviceName: pulumi.Output<string>;
  /** In-cluster endpoint of HTTP, `host:port`. */
  public readonly httpEndpoint: pulumi.Output<string>;
  /** In-cluster endpoint of gRPC, `host:port`. One connection stays with one pod; see the headless Service of the chart. */
  public readonly grpcEndpoint: pulumi.Output<string>;
  public readonly release: k8s.helm.v3.Release;

  constructor(name: string, args: TritonServerArgs, opts?: pulumi.ComponentResourceOptions) {
    super("triton-azure:index:TritonServer", name, {}, opts);
    const { config } = args;
    const child = { parent: this };

    const namespace = new k8s.core.v1.Namespace(
      `${name}-namespace`,
      { metadata: { name: tritonName, labels: { "pod-security.kubernetes.io/enforce": "restricted" } } },
      child,
    );
    const storage = storageAccess(name, args, namespace, child);
    const adminSecret = adminKeySecret(name, args, namespace, child);
    const deadlineSeconds = rolloutSeconds(config) + 60;

    this.release = new k8s.helm.v3.Release(
      `${name}-release`,
      {
        name: tritonName,
        namespace: namespace.metadata.name,
        chart: tritonChart,
        values: tritonValues({
          config,
          release: args.release,
          chartDigest: chartDigest(),
          serviceAccountName: tritonName,
          modelStore: args.modelStore,
          storageAccess: storage.access,
          adminSecret: adminSecret && { name: adminSecret.metadata.name, key: secretKey },
        }),
        // An atomic release would be rolled back when it fails, with the pods that tell why.
        atomic: false,
        skipAwait: false,
        timeout: deadlineSeconds,
        maxHistory: 10,
        // Takes the name over from an installation that failed; from one that serves it never does.
        replace: true,
      },
      {
        ...child,
        dependsOn: [...storage.rights, ...listed(opts?.dependsOn)],
        hooks: releaseHooks(name, {
          release: { name: tritonName, namespace: tritonName },
          kubeconfig: args.kubeconfig,
          deadlineSeconds,
        }),
      },
    );

    this.namespace = namespace.metadata.name;
    this.deploymentName = this.release.name;
    this.serviceName = this.release.name;
    const host = pulumi.interpolate`${this.serviceName}.${this.namespace}.svc.cluster.local`;
    this.httpEndpoint = pulumi.interpolate`${host}:8000`;
    this.grpcEndpoint = pulumi.interpolate`${host}:8001`;
    this.registerOutputs({ httpEndpoint: this.httpEndpoint, grpcEndpoint: this.grpcEndpoint });
  }

  /** What an autoscaler or a route points at. */
  public get target(): { namespace: pulumi.Output<string>; deploymentName: pulumi.Output<string> } {
    return { namespace: this.namespace, deploymentName: this.deploymentName };
  }
}

/** Entry of the Secrets below. */
const secretKey = "key";

/** How the pods may read the model store, and what must be there before they can. */
function storageAccess(
  name: string,
  args: TritonServerArgs,
  namespace: k8s.core.v1.Namespace,
  opts: pulumi.CustomResourceOptions,
): { access: StorageAccess; rights: readonly pulumi.Resource[] } {
  const { config, modelStore } = args;
  if (config.modelStore.auth === "workload-identity") {
    const { clientId, rights } = createTritonIdentity(
      name,
      {
        ...args,
        containerId: modelStore.containerId,
        serviceAccount: { namespace: tritonName, name: tritonName },
      },
      opts,
    );
    return { access: { clientId }, rights };
  }
  if (modelStore.accountKey === undefined) {
    throw new pulumi.RunError(`${name}: modelStore.auth account-key needs the account's key`);
  }
  const secret = createSecret(`${name}-storage-key`, modelStore.accountKey, namespace, opts);
  return { access: { keySecret: { name: secret.metadata.name, key: secretKey } }, rights: [secret] };
}

/** The Secret with the key of the restricted APIs; undefined when none is restricted. */
function adminKeySecret(
  name: string,
  { config, adminKey }: TritonServerArgs,
  namespace: k8s.core.v1.Namespace,
  opts: pulumi.CustomResourceOptions,
): k8s.core.v1.Secret | undefined {
  if (config.triton.restrictedApis.length === 0) return undefined;
  if (adminKey === undefined) throw new pulumi.RunError(`${name}: triton.restrictedApis needs the key adminKey`);
  return createSecret(`${name}-admin-key`, adminKey, namespace, opts);
}

/**
 * A Secret with one entry. It has no name of its own, so that another key makes another Secret: pods read keys once, and
 * the new name among the chart's values rolls them. The former Secret goes when no pod needs it any more.
 */
const createSecret = (
  name: string,
  key: pulumi.Input<string>,
  namespace: k8s.core.v1.Namespace,
  opts: pulumi.CustomResourceOptions,
) =>
  new k8s.core.v1.Secret(
    name,
    {
      metadata: { namespace: namespace.metadata.name },
      immutable: true,
      stringData: { [secretKey]: key },
    },
    opts,
  );

/** The engine knows that a component comes after what it depends on; that its children go before it has to be said. */
const listed = (dependsOn: pulumi.ResourceOptions["dependsOn"]): pulumi.Input<pulumi.Resource>[] =>
  dependsOn === undefined ? [] : Array.isArray(dependsOn) ? dependsOn : [dependsOn as pulumi.Input<pulumi.Resource>];
