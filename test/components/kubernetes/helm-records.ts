import { gunzipSync, gzipSync } from "node:zlib";
import type { KubernetesObject } from "./api-server";

/** A revision as Helm 3 stores it (`encodeRelease`, in its storage driver for Secrets). */
export function helmRecord(version: number, status: string, name = "triton"): KubernetesObject {
  const chart = { metadata: { apiVersion: "v2", name: "triton", version: "0.1.0" } };
  const release = {
    name,
    version,
    namespace: "triton",
    chart,
    info: { status, first_deployed: "2026-01-01T00:00:00Z", description: "was" },
  };
  const helm = gzipSync(JSON.stringify(release)).toString("base64");
  return {
    kind: "Secret",
    metadata: {
      name: `sh.helm.release.v1.${name}.v${version}`,
      namespace: "triton",
      labels: { owner: "helm", name, status, version: String(version) },
    },
    type: "helm.sh/release.v1",
    data: { release: Buffer.from(helm).toString("base64") },
  };
}

/** What Helm reads from such a Secret. */
export function decodeHelmRecord(secret: KubernetesObject): {
  name: string;
  version: number;
  info: Record<string, string>;
} {
  const { release } = secret["data"] as { release: string };
  const helm = Buffer.from(release, "base64").toString();
  return JSON.parse(gunzipSync(Buffer.from(helm, "base64")).toString()) as ReturnType<typeof decodeHelmRecord>;
}
