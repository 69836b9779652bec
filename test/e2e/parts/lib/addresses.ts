/**
 * The addresses of a sandbox, shaped like those of an AKS cluster. They exist in the sandbox's network namespace alone, so
 * they are always free and reach nothing else.
 */
export const addresses = {
  /** Control plane, CoreDNS and the aggregated API servers, which a cluster in Azure does not show either. */
  controlPlane: "10.224.0.4",
  /** Azurite, which every `<account>.blob.core.windows.net` resolves to. */
  blobStorage: "10.224.0.5",
  /** The runner's own control service (see control.ts). */
  control: "10.224.0.6",
  /** Of the n-th node, from 0 on. */
  node: (index: number): string => `10.224.1.${String(index + 1)}`,
  serviceCidr: "10.0.0.0/16",
  /** First address of `serviceCidr`: the Service `kubernetes`. */
  kubernetesService: "10.0.0.1",
  /** Service `kube-dns`. */
  dnsService: "10.0.0.10",
  podCidr: "10.244.0.0/16",
  /** Pods of the n-th node, from 0 on. */
  nodePods: (index: number): string => `10.244.${String(index)}.0/24`,
} as const;

export const apiServerPort = 6443;
export const apiServerUrl = `https://${addresses.controlPlane}:${String(apiServerPort)}`;
