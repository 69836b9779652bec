import { generateKeyPairSync } from "node:crypto";
import * as fs from "node:fs";
import * as path from "node:path";
import { authorityFolder } from "../build/authority";
import { addresses } from "../lib/addresses";
import { certificateAuthority, issue, type KeyPair } from "../lib/certificates";
import { kubeconfigText } from "../lib/kubeconfig";
import { runFolder } from "../lib/sandbox";

/** Certificates and kubeconfigs of one run's cluster, as kubeadm would lay them out. */
export interface Credentials {
  readonly authority: KeyPair;
  readonly apiServer: KeyPair;
  /** The API server's own, towards kubelets. */
  readonly kubeletClient: KeyPair;
  /** The API server's own, towards aggregated API servers. */
  readonly frontProxy: KeyPair;
  readonly metricsServer: KeyPair;
  /** Member of `system:masters`. */
  readonly admin: KeyPair;
  /** RSA key that signs service account tokens, PEM. */
  readonly serviceAccountKey: string;
  /** Path of the kubeconfig of a component, such as `scheduler`. */
  readonly kubeconfig: Readonly<Record<Component | "admin", string>>;
}

const components = {
  "controller-manager": "system:kube-controller-manager",
  scheduler: "system:kube-scheduler",
  "kube-proxy": "system:kube-proxy",
} as const;
type Component = keyof typeof components;

const folder = (): string => runFolder("credentials");

export async function makeCredentials(): Promise<Credentials> {
  fs.mkdirSync(folder(), { recursive: true, mode: 0o700 });
  const authority = await certificateAuthority(authorityFolder());
  const make = (
    file: string,
    commonName: string,
    more: { organization?: string; dnsNames?: string[]; addresses?: string[] } = {},
  ) => issue(authority, folder(), { file, commonName, ...more });

  const kubernetes = "kubernetes.default.svc";
  const [apiServer, kubeletClient, frontProxy, metricsServer, admin] = await Promise.all([
    make("api-server", "kube-apiserver", {
      dnsNames: ["localhost", "kubernetes", "kubernetes.default", kubernetes, `${kubernetes}.cluster.local`],
      addresses: [addresses.controlPlane, addresses.kubernetesService, "127.0.0.1"],
    }),
    make("kubelet-client", "kube-apiserver-kubelet-client", { organization: "system:masters" }),
    make("front-proxy", "front-proxy-client"),
    make("metrics-server", "metrics-server", { dnsNames: ["metrics-server.kube-system.svc"] }),
    make("admin", "admin", { organization: "system:masters" }),
  ]);
  const kubeconfigs: Record<string, string> = { admin: writeKubeconfig("admin", authority, admin) };
  for (const [name, user] of Object.entries(components)) {
    kubeconfigs[name] = writeKubeconfig(name, authority, await make(name, user));
  }
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const serviceAccountKey = path.join(folder(), "service-account.key");
  fs.writeFileSync(serviceAccountKey, privateKey.export({ type: "pkcs8", format: "pem" }), { mode: 0o600 });
  return {
    ...{ authority, apiServer, kubeletClient, frontProxy, metricsServer, admin, serviceAccountKey },
    kubeconfig: kubeconfigs as Credentials["kubeconfig"],
  };
}

/** A kubelet's certificate, for its server and towards the API server, and its kubeconfig. */
export async function makeNodeCredentials(node: string, address: string): Promise<KeyPair & { kubeconfig: string }> {
  const authority = await certificateAuthority(authorityFolder());
  const request = { file: `node-${node}`, commonName: `system:node:${node}`, organization: "system:nodes" };
  const pair = await issue(authority, folder(), { ...request, dnsNames: [node], addresses: [address] });
  return { ...pair, kubeconfig: writeKubeconfig(`node-${node}`, authority, pair) };
}

function writeKubeconfig(name: string, authority: KeyPair, client: KeyPair): string {
  const file = path.join(folder(), `${name}.kubeconfig`);
  fs.writeFileSync(file, kubeconfigText(authority, client), { mode: 0o600 });
  return file;
}
