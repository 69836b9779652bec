import * as fs from "node:fs";
import { goProgram } from "../build/go";
import { addresses } from "../lib/addresses";
import { type KubernetesApi } from "../lib/kubernetes-api";
import { PartProcess } from "../lib/process";
import { logFolder, runFolder } from "../lib/sandbox";
import { type Credentials } from "./credentials";

/** Name under which it looks for a Node of its own. */
const nodeName = "kube-proxy";

/** Starts the one kube-proxy of a sandbox: its nodes share one network namespace, so one set of rules serves them all. */
export async function startKubeProxy(credentials: Credentials, api: KubernetesApi): Promise<PartProcess> {
  const healthAddress = `${addresses.controlPlane}:10256`;
  const config = {
    apiVersion: "kubeproxy.config.k8s.io/v1alpha1",
    kind: "KubeProxyConfiguration",
    mode: "iptables",
    bindAddress: addresses.controlPlane,
    healthzBindAddress: healthAddress,
    metricsBindAddress: `${addresses.controlPlane}:10249`,
    hostnameOverride: nodeName,
    clusterCIDR: addresses.podCidr,
    clientConnection: { kubeconfig: credentials.kubeconfig["kube-proxy"] },
    // Limits of connection tracking are the whole kernel's.
    conntrack: { maxPerCore: 0, min: 0, tcpEstablishedTimeout: "0s", tcpCloseWaitTimeout: "0s" },
    iptables: { minSyncPeriod: "100ms" },
  };
  const file = runFolder("kube-proxy.json");
  fs.writeFileSync(file, JSON.stringify(config, undefined, 2));
  // It belongs to none of the nodes, and waits half a minute for its own unless there is one: there is for a moment.
  await api.apply("/api/v1/nodes", {
    apiVersion: "v1",
    kind: "Node",
    metadata: { name: nodeName },
    spec: { unschedulable: true },
  });
  const nodePath = `/api/v1/nodes/${nodeName}`;
  const nodeAddresses = [{ type: "InternalIP", address: addresses.controlPlane }];
  await api.mergePatch(`${nodePath}/status`, { status: { addresses: nodeAddresses } });
  const proxy = new PartProcess({
    name: "kube-proxy",
    command: goProgram("kubernetes", "kube-proxy"),
    args: [`--config=${file}`],
    logs: logFolder(),
  });
  await proxy.ready(() =>
    fetch(`http://${healthAddress}/livez`).then(
      (answer) => answer.ok,
      () => false,
    ),
  );
  await api.remove(nodePath);
  return proxy;
}
