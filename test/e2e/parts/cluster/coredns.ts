import { Resolver } from "node:dns/promises";
import * as fs from "node:fs";
import { goProgram } from "../build/go";
import { addresses } from "../lib/addresses";
import { type KubernetesApi } from "../lib/kubernetes-api";
import { PartProcess } from "../lib/process";
import { logFolder, runFolder } from "../lib/sandbox";
import { type Credentials } from "./credentials";
import { publishAsService } from "./host-service";

/**
 * Starts CoreDNS for pods (as Service `kube-dns`) and for every other program in the sandbox. It knows the cluster's
 * names and gives Azurite's address for every storage account's blob endpoint; no other name exists.
 */
export async function startCoreDns(credentials: Credentials, api: KubernetesApi): Promise<PartProcess> {
  const file = runFolder("Corefile");
  fs.writeFileSync(
    file,
    `cluster.local:53 in-addr.arpa:53 {
  bind ${addresses.controlPlane}
  errors
  kubernetes cluster.local in-addr.arpa {
    kubeconfig ${credentials.kubeconfig.admin}
    ttl 5
  }
}
blob.core.windows.net:53 {
  bind ${addresses.controlPlane}
  template IN A {
    match ^[a-z0-9]{3,24}\\.blob\\.core\\.windows\\.net\\.$
    answer "{{ .Name }} 5 IN A ${addresses.blobStorage}"
  }
  template IN AAAA {
    rcode NOERROR
  }
}
.:53 {
  bind ${addresses.controlPlane}
  template ANY ANY {
    rcode NXDOMAIN
  }
}
`,
  );
  const coreDns = new PartProcess({
    name: "coredns",
    command: goProgram("coredns"),
    args: ["-conf", file],
    logs: logFolder(),
  });
  const ports = [
    { name: "dns", port: 53, target: 53, protocol: "UDP" },
    { name: "dns-tcp", port: 53, target: 53, protocol: "TCP" },
  ] as const;
  await publishAsService(api, { name: "kube-dns", clusterIP: addresses.dnsService, ports });
  const resolver = new Resolver({ timeout: 500, tries: 1 });
  // Asked by its Service's address, so that it is kube-proxy's rules that are proven, too.
  resolver.setServers([addresses.dnsService]);
  await coreDns.ready(() =>
    resolver.resolve4("kubernetes.default.svc.cluster.local").then(
      ([address]) => address === addresses.kubernetesService,
      () => false,
    ),
  );
  return coreDns;
}
