import * as k8s from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import { stringify } from "yaml";
import type { GpuPool, StackConfig } from "../../config";
import { digest } from "../../core/digest";
import { gpuNodeLabel, gpuTolerations } from "../../core/gpu-pool";

export interface DevicePluginArgs {
  /** The pools whose GPUs it offers. */
  readonly pools: readonly Pick<GpuPool, "spot" | "migProfile">[];
  /** How MIG slices are offered; of no effect while no pool has a profile. */
  readonly migStrategy: StackConfig["cluster"]["migStrategy"];
  /** Pods that share one GPU by time slices; 1 for none. */
  readonly timeSlicing: number;
}

/** The release that the AKS article "Use GPUs for compute-intensive workloads" installs. */
export const devicePluginImage = "nvcr.io/nvidia/k8s-device-plugin:v0.18.0";

const namespaceName = "gpu-resources";
const labels = { "app.kubernetes.io/name": "nvidia-device-plugin" };
const socketFolder = "/var/lib/kubelet/device-plugins";

/**
 * NVIDIA's device plugin on every GPU node: without it no node offers `nvidia.com/gpu`, and Triton's pods stay pending.
 * It runs where the pools' label is and tolerates their taints, from the same constants that the pools are made of.
 */
export class DevicePlugin extends pulumi.ComponentResource {
  public readonly daemonSet: k8s.apps.v1.DaemonSet;

  constructor(name: string, args: DevicePluginArgs, opts?: pulumi.ComponentResourceOptions) {
    super("triton-azure:index:DevicePlugin", name, {}, opts);
    const child = { parent: this };
    const namespace = new k8s.core.v1.Namespace(
      `${name}-namespace`,
      // The plugin mounts a folder of its node, which the other Pod Security Standards forbid.
      { metadata: { name: namespaceName, labels: { "pod-security.kubernetes.io/enforce": "privileged" } } },
      child,
    );
    const metadata = { name: "nvidia-device-plugin", namespace: namespace.metadata.name, labels };

    const sharing = timeSlicingConfig(args.timeSlicing);
    const configMap =
      sharing === undefined
        ? undefined
        : new k8s.core.v1.ConfigMap(`${name}-config`, { metadata, data: { [configFile]: sharing } }, child);

    this.daemonSet = new k8s.apps.v1.DaemonSet(
      `${name}-daemonset`,
      {
        metadata,
        spec: {
          selector: { matchLabels: labels },
          updateStrategy: { type: "RollingUpdate", rollingUpdate: { maxUnavailable: "25%" } },
          template: {
            // The plugin reads its file once: another text must make other pods.
            metadata: { labels, annotations: { "triton-azure/config-digest": digest(sharing, 16) } },
            spec: podSpec(args, configMap),
          },
        },
      },
      child,
    );
    this.registerOutputs({ daemonSet: this.daemonSet.metadata.name });
  }
}

function podSpec(
  args: DevicePluginArgs,
  configMap: k8s.core.v1.ConfigMap | undefined,
): k8s.types.input.core.v1.PodSpec {
  const mig = args.pools.some(({ migProfile }) => migProfile !== undefined);
  return {
    priorityClassName: "system-node-critical",
    automountServiceAccountToken: false,
    nodeSelector: gpuNodeLabel,
    tolerations: [...gpuTolerations(args.pools)],
    securityContext: { seccompProfile: { type: "RuntimeDefault" } },
    containers: [
      {
        name: "nvidia-device-plugin",
        image: devicePluginImage,
        env: [
          { name: "MIG_STRATEGY", value: mig ? args.migStrategy : "none" },
          // The label promises a GPU. A plugin that comes before the driver restarts until it finds one; it would idle
          // otherwise, and the node would never offer its GPU.
          { name: "FAIL_ON_INIT_ERROR", value: "true" },
          ...(mig ? [{ name: "NVIDIA_MIG_MONITOR_DEVICES", value: "all" }] : []),
          ...(configMap === undefined ? [] : [{ name: "CONFIG_FILE", value: `${configFolder}/${configFile}` }]),
        ],
        securityContext: mig ? migPrivileges : noPrivileges,
        resources: { requests: { cpu: "10m", memory: "64Mi" }, limits: { memory: "512Mi" } },
        terminationMessagePolicy: "FallbackToLogsOnError",
        volumeMounts: [
          { name: "device-plugins", mountPath: socketFolder },
          ...(configMap === undefined ? [] : [{ name: "config", mountPath: configFolder, readOnly: true }]),
        ],
      },
    ],
    volumes: [
      { name: "device-plugins", hostPath: { path: socketFolder, type: "Directory" } },
      ...(configMap === undefined ? [] : [{ name: "config", configMap: { name: configMap.metadata.name } }]),
    ],
  };
}

const noPrivileges = { allowPrivilegeEscalation: false, capabilities: { drop: ["ALL"] } };

/** To watch the MIG devices of a whole node takes the capability SYS_ADMIN, as in NVIDIA's chart. */
const migPrivileges = { capabilities: { drop: ["ALL"], add: ["SYS_ADMIN"] } };

const configFolder = "/config";
const configFile = "config.yaml";

/** The plugin's configuration file; undefined when nothing is shared. MIG slices are not: the configuration refuses it. */
function timeSlicingConfig(replicas: number): string | undefined {
  if (replicas === 1) return undefined;
  return stringify({
    version: "v1",
    sharing: {
      timeSlicing: {
        // Two slices of a GPU are no more of it than one: a pod that asks for two is mistaken, and told so.
        failRequestsGreaterThanOne: true,
        resources: [{ name: "nvidia.com/gpu", replicas }],
      },
    },
  });
}
