import * as fs from "node:fs";
import { apiServerUrl } from "./addresses";
import { type KeyPair } from "./certificates";

const base64 = (file: string): string => fs.readFileSync(file).toString("base64");

/** A kubeconfig (JSON is YAML too) that holds everything it names, so that it can be handed on as a text. */
export function kubeconfigText(authority: KeyPair, client: KeyPair): string {
  const name = "triton-azure-e2e";
  return JSON.stringify(
    {
      apiVersion: "v1",
      kind: "Config",
      "current-context": name,
      contexts: [{ name, context: { cluster: name, user: name } }],
      clusters: [
        { name, cluster: { server: apiServerUrl, "certificate-authority-data": base64(authority.certificate) } },
      ],
      users: [
        {
          name,
          user: { "client-certificate-data": base64(client.certificate), "client-key-data": base64(client.key) },
        },
      ],
    },
    undefined,
    2,
  );
}
