import { goProgram } from "../build/go";
import { addresses, apiServerPort } from "../lib/addresses";
import { answersHttps } from "../lib/https";
import { type KubernetesApi } from "../lib/kubernetes-api";
import { assertFree } from "../lib/ports";
import { PartProcess } from "../lib/process";
import { logFolder } from "../lib/sandbox";
import { type Credentials } from "./credentials";
import { etcdUrl } from "./etcd";

export interface ControlPlaneOptions {
  /**
   * Issuer of service account tokens. Default: the shape of an AKS cluster's. Any audience can be asked for, such as
   * `api://AzureADTokenExchange`.
   */
  readonly serviceAccountIssuer?: string;
  /** Seconds between two looks of the horizontal pod autoscaler at its metrics. Default: 5 (Kubernetes: 15). */
  readonly autoscalerSyncSeconds?: number;
  /** Seconds after its start in which a pod's CPU use may be ignored. Default: 10 (Kubernetes: 300). */
  readonly autoscalerCpuInitializationSeconds?: number;
}

export const defaultServiceAccountIssuer =
  "https://eastus.oic.prod-aks.azure.com/00000000-0000-0000-0000-000000000000/00000000-0000-0000-0000-000000000001/";

export async function startApiServer(
  credentials: Credentials,
  api: KubernetesApi,
  options: ControlPlaneOptions,
): Promise<PartProcess> {
  await assertFree("kube-apiserver", addresses.controlPlane, apiServerPort);
  const { authority, apiServer, kubeletClient, frontProxy, serviceAccountKey } = credentials;
  const server = new PartProcess({
    name: "kube-apiserver",
    command: goProgram("kubernetes", "kube-apiserver"),
    args: [
      `--etcd-servers=${etcdUrl}`,
      `--advertise-address=${addresses.controlPlane}`,
      `--bind-address=${addresses.controlPlane}`,
      `--secure-port=${String(apiServerPort)}`,
      `--tls-cert-file=${apiServer.certificate}`,
      `--tls-private-key-file=${apiServer.key}`,
      `--client-ca-file=${authority.certificate}`,
      "--authorization-mode=Node,RBAC",
      "--enable-admission-plugins=NodeRestriction",
      `--kubelet-certificate-authority=${authority.certificate}`,
      `--kubelet-client-certificate=${kubeletClient.certificate}`,
      `--kubelet-client-key=${kubeletClient.key}`,
      "--kubelet-preferred-address-types=InternalIP",
      `--service-account-issuer=${options.serviceAccountIssuer ?? defaultServiceAccountIssuer}`,
      `--service-account-key-file=${serviceAccountKey}`,
      `--service-account-signing-key-file=${serviceAccountKey}`,
      `--service-cluster-ip-range=${addresses.serviceCidr}`,
      `--requestheader-client-ca-file=${authority.certificate}`,
      "--requestheader-allowed-names=front-proxy-client",
      "--requestheader-extra-headers-prefix=X-Remote-Extra-",
      "--requestheader-group-headers=X-Remote-Group",
      "--requestheader-username-headers=X-Remote-User",
      `--proxy-client-cert-file=${frontProxy.certificate}`,
      `--proxy-client-key-file=${frontProxy.key}`,
      // A stop in a test should not wait for watches to end by themselves.
      "--shutdown-delay-duration=0s",
    ],
    logs: logFolder(),
  });
  await server.ready(() => api.answers("/readyz"), 120_000);
  return server;
}

export async function startControllerManager(
  credentials: Credentials,
  options: ControlPlaneOptions,
): Promise<PartProcess> {
  const { authority, kubeconfig, serviceAccountKey } = credentials;
  const port = 10257;
  const manager = new PartProcess({
    name: "kube-controller-manager",
    command: goProgram("kubernetes", "kube-controller-manager"),
    args: [
      ...componentArgs(kubeconfig["controller-manager"], port),
      "--use-service-account-credentials=true",
      `--service-account-private-key-file=${serviceAccountKey}`,
      `--root-ca-file=${authority.certificate}`,
      `--horizontal-pod-autoscaler-sync-period=${String(options.autoscalerSyncSeconds ?? 5)}s`,
      `--horizontal-pod-autoscaler-cpu-initialization-period=${String(options.autoscalerCpuInitializationSeconds ?? 10)}s`,
      "--horizontal-pod-autoscaler-initial-readiness-delay=5s",
    ],
    logs: logFolder(),
  });
  await manager.ready(() => healthy(port));
  return manager;
}

export async function startScheduler(credentials: Credentials): Promise<PartProcess> {
  const port = 10259;
  const scheduler = new PartProcess({
    name: "kube-scheduler",
    command: goProgram("kubernetes", "kube-scheduler"),
    args: componentArgs(credentials.kubeconfig.scheduler, port),
    logs: logFolder(),
  });
  await scheduler.ready(() => healthy(port));
  return scheduler;
}

const componentArgs = (kubeconfig: string, port: number): string[] => [
  `--kubeconfig=${kubeconfig}`,
  `--authentication-kubeconfig=${kubeconfig}`,
  `--authorization-kubeconfig=${kubeconfig}`,
  "--leader-elect=false",
  `--bind-address=${addresses.controlPlane}`,
  `--secure-port=${String(port)}`,
];

const healthy = (port: number): Promise<boolean> =>
  answersHttps(`https://${addresses.controlPlane}:${String(port)}/healthz`);
