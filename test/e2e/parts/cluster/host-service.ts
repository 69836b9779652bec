import { addresses } from "../lib/addresses";
import { type KubernetesApi } from "../lib/kubernetes-api";

export interface HostService {
  /** Name of the Service in namespace `kube-system`. */
  readonly name: string;
  readonly clusterIP?: string;
  /** Ports of the Service; `target` is the one that the process outside pods listens on, on the control plane's address. */
  readonly ports: readonly {
    readonly name: string;
    readonly port: number;
    readonly target: number;
    readonly protocol: "TCP" | "UDP";
  }[];
}

/** Makes a process outside pods reachable by pods and by the API server as a Service. */
export async function publishAsService(api: KubernetesApi, service: HostService): Promise<void> {
  const { name, clusterIP, ports } = service;
  await api.apply("/api/v1/namespaces/kube-system/services", {
    apiVersion: "v1",
    kind: "Service",
    metadata: { name, namespace: "kube-system" },
    spec: {
      ...(clusterIP === undefined ? {} : { clusterIP }),
      ports: ports.map((port) => ({
        name: port.name,
        port: port.port,
        protocol: port.protocol,
        targetPort: port.target,
      })),
    },
  });
  await api.apply("/apis/discovery.k8s.io/v1/namespaces/kube-system/endpointslices", {
    apiVersion: "discovery.k8s.io/v1",
    kind: "EndpointSlice",
    metadata: { name: `${name}-host`, namespace: "kube-system", labels: { "kubernetes.io/service-name": name } },
    addressType: "IPv4",
    endpoints: [{ addresses: [addresses.controlPlane], conditions: { ready: true } }],
    ports: ports.map((port) => ({ name: port.name, port: port.target, protocol: port.protocol })),
  });
}
