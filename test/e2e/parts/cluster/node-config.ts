import * as fs from "node:fs";
import * as path from "node:path";
import { containerdBasics, pauseImageName } from "../build/images";
import { addresses } from "../lib/addresses";
import { type KeyPair } from "../lib/certificates";
import { runFolder } from "../lib/sandbox";
import { type Taint } from "./node";

/** Writes the configuration of a node's containerd and of its pod network, and returns the former's path. */
export function writeContainerdConfig(folder: string, index: number): string {
  const network = path.join(folder, "network");
  fs.mkdirSync(network, { recursive: true });
  const ipam = {
    type: "host-local",
    dataDir: path.join(folder, "addresses"),
    ranges: [[{ subnet: addresses.nodePods(index) }]],
    routes: [{ dst: "0.0.0.0/0" }],
  };
  // Hairpin mode lets a pod reach itself through its Service.
  const bridge = {
    type: "bridge",
    bridge: `pods${String(index)}`,
    isGateway: true,
    hairpinMode: true,
    ipMasq: false,
    ipam,
  };
  const plugins = [bridge, { type: "portmap", capabilities: { portMappings: true } }];
  fs.writeFileSync(
    path.join(network, "10-pods.conflist"),
    JSON.stringify({ cniVersion: "0.4.0", name: "pods", plugins }),
  );

  const file = path.join(folder, "containerd.toml");
  const root = path.join(folder, "containerd");
  const state = path.join("/run", path.basename(folder), "containerd");
  const socket = path.join(folder, "containerd.sock");
  fs.writeFileSync(
    file,
    `${containerdBasics({ root, state, socket })}
[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "${pauseImageName}"
  stream_server_address = "127.0.0.1"
  # A root without CAP_SYS_RESOURCE may raise scores for the out-of-memory killer, not lower them.
  restrict_oom_score_adj = true

  [plugins."io.containerd.grpc.v1.cri".cni]
    bin_dir = "/usr/lib/cni"
    conf_dir = "${network}"

  [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc]
    runtime_type = "io.containerd.runc.v2"
`,
  );
  return file;
}

export interface KubeletSettings {
  readonly address: string;
  /** Path of the certificate authority's certificate. */
  readonly authority: string;
  /** Control group below which the kubelet makes those of its pods. */
  readonly controlGroup: string;
  readonly credentials: KeyPair;
  /** Folder of the containers' logs. */
  readonly podLogs: string;
  /** Path of containerd's socket. */
  readonly socket: string;
  readonly taints: readonly Taint[];
}

export function writeKubeletConfig(folder: string, settings: KubeletSettings): string {
  const { address, authority, controlGroup, credentials, podLogs, socket, taints } = settings;
  fs.mkdirSync(podLogs, { recursive: true });
  const file = path.join(folder, "kubelet.json");
  const config = {
    apiVersion: "kubelet.config.k8s.io/v1beta1",
    kind: "KubeletConfiguration",
    address,
    port: 10250,
    readOnlyPort: 0,
    healthzBindAddress: address,
    authentication: { anonymous: { enabled: false }, webhook: { enabled: true }, x509: { clientCAFile: authority } },
    authorization: { mode: "Webhook" },
    tlsCertFile: credentials.certificate,
    tlsPrivateKeyFile: credentials.key,
    containerRuntimeEndpoint: `unix://${socket}`,
    clusterDNS: [addresses.dnsService],
    clusterDomain: "cluster.local",
    resolvConf: runFolder("resolv.conf"),
    podLogsDir: podLogs,
    registerWithTaints: taints,
    // Version 1 of control groups is refused by default since Kubernetes 1.35.
    failCgroupV1: false,
    cgroupDriver: "cgroupfs",
    cgroupRoot: controlGroup,
    enforceNodeAllocatable: ["pods"],
    failSwapOn: false,
    oomScoreAdj: 0,
    // What fills this machine's disk is not the tests' doing.
    evictionHard: { "memory.available": "100Mi", "nodefs.available": "1%", "imagefs.available": "1%" },
    imageGCHighThresholdPercent: 100,
    nodeStatusUpdateFrequency: "5s",
    syncFrequency: "10s",
    shutdownGracePeriod: "0s",
  };
  fs.writeFileSync(file, JSON.stringify(config, undefined, 2));
  return file;
}
