import { goProgram } from "../build/go";
import { addresses } from "../lib/addresses";
import { answersHttps } from "../lib/https";
import { type KubernetesApi } from "../lib/kubernetes-api";
import { PartProcess } from "../lib/process";
import * as fs from "node:fs";
import { logFolder } from "../lib/sandbox";
import { type Credentials } from "./credentials";
import { publishAsService } from "./host-service";

const port = 4443;

/**
 * Starts metrics-server and registers it with the API server. Its first figures come about 20 s later, when it has
 * asked each kubelet twice.
 */
export async function startMetricsServer(credentials: Credentials, api: KubernetesApi): Promise<PartProcess> {
  const { authority, kubeconfig, metricsServer: certificate } = credentials;
  const server = new PartProcess({
    name: "metrics-server",
    command: goProgram("metrics-server"),
    args: [
      `--kubeconfig=${kubeconfig.admin}`,
      `--authentication-kubeconfig=${kubeconfig.admin}`,
      `--authorization-kubeconfig=${kubeconfig.admin}`,
      `--bind-address=${addresses.controlPlane}`,
      `--secure-port=${String(port)}`,
      `--tls-cert-file=${certificate.certificate}`,
      `--tls-private-key-file=${certificate.key}`,
      `--kubelet-certificate-authority=${authority.certificate}`,
      "--kubelet-preferred-address-types=InternalIP",
      // The shortest that it accepts, which a kubelet's answer must not take.
      "--metric-resolution=10s",
      "--kubelet-request-timeout=5s",
    ],
    logs: logFolder(),
  });
  await publishAsService(api, {
    name: "metrics-server",
    ports: [{ name: "https", port: 443, target: port, protocol: "TCP" }],
  });
  await api.apply("/apis/apiregistration.k8s.io/v1/apiservices", {
    apiVersion: "apiregistration.k8s.io/v1",
    kind: "APIService",
    metadata: { name: "v1beta1.metrics.k8s.io" },
    spec: {
      group: "metrics.k8s.io",
      version: "v1beta1",
      groupPriorityMinimum: 100,
      versionPriority: 100,
      service: { name: "metrics-server", namespace: "kube-system" },
      caBundle: fs.readFileSync(authority.certificate).toString("base64"),
    },
  });
  await server.ready(() => answersHttps(`https://${addresses.controlPlane}:${String(port)}/livez`));
  return server;
}
