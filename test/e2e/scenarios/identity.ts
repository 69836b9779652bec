import assert from "node:assert/strict";
import type { types } from "@pulumi/kubernetes";
import { roles } from "../../../core/roles";
import { type NetworkPolicy, permits, type Pod } from "../../support/network-policy";
import { featureScaler, publish, type Release } from "../releases";
import { type Scenario } from "../scenario";
import { modelAccount, type Settings } from "../stack-file";
import { type World } from "../world";

const release: Release = { id: "first", models: [featureScaler] };
const audience = "api://AzureADTokenExchange";
const settings = (releases: Release[]): Settings => ({
  releases,
  sections: { modelStore: { auth: "workload-identity" } },
});
const metadataService = "169.254.169.254";
const storage = "20.60.1.2";

export const scenario: Scenario = {
  slow: true,
  steps: [
    {
      promise: "by default Triton gets no key",
      run: async (world) => {
        await world.project.stackInit("dev");
        await world.up(settings([]));
        await publish(modelAccount(), release);
        // Triton's older CPU image cannot read as an identity: its pods are as they should be, but end.
        assert.match(await world.upFails(settings([release])), /authenticate/);
        const secrets = await world.cluster.kubectl(["get", "secrets", "-n", "triton", "-o", "name"]);
        assert.deepEqual(
          secrets.split("\n").filter((name) => name !== "" && !name.includes("sh.helm.release")),
          [],
        );
        const { spec } = await tritonPod(world);
        const names = spec.containers.flatMap(({ env }) => env.map(({ name }) => name));
        // TRITON_AZURE_MOUNT_DIRECTORY only says where Triton copies the release to.
        assert.deepEqual(
          names.filter((name) => /azure|key|secret|token/i.test(name) && !name.endsWith("_MOUNT_DIRECTORY")),
          ["AZURE_STORAGE_ACCOUNT", "AZURE_STORAGE_AUTH_TYPE"],
        );
      },
    },
    {
      promise: "the pods' token is the one that the identity's federated credential asks for",
      run: async (world) => {
        const { metadata, spec } = await tritonPod(world);
        const token = await world.cluster.kubectl([
          ...["create", "token", spec.serviceAccountName, "-n", "triton", "--audience", audience],
          ...["--bound-object-kind", "Pod", "--bound-object-name", metadata.name],
        ]);
        const { iss, sub, aud } = JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString()) as Token;
        assert.deepEqual({ issuer: iss, subject: sub, audiences: aud }, credential(world));
      },
    },
    {
      promise: "the pods ask to act as that identity, which may read the releases and nothing else",
      run: async (world) => {
        const { clientId, principalId } = identity(world);
        const annotation = "{.metadata.annotations.azure\\.workload\\.identity/client-id}";
        const { metadata, spec } = await tritonPod(world);
        const get = ["get", "serviceaccount", spec.serviceAccountName, "-n", "triton", "-o", `jsonpath=${annotation}`];
        assert.equal(await world.cluster.kubectl(get), clientId);
        assert.equal(metadata.labels["azure.workload.identity/use"], "true");

        const grants = world.cloud
          .all("RoleAssignment")
          .filter(([, { inputs }]) => inputs["principalId"] === principalId);
        assert.deepEqual(
          grants.map(([, { inputs }]) => (inputs["roleDefinitionId"] as string).split("/").at(-1)),
          [roles.storageBlobDataReader],
        );
        assert.match(grants[0]?.[1].inputs["scope"] as string, /\/containers\/model-repository$/);
      },
    },
    {
      promise:
        "the network lets in the scraper to port 8002 alone, and out DNS and HTTPS but never the node's identity",
      run: async (world) => {
        const { metadata } = await tritonPod(world);
        const triton = await podOf(world, "triton", metadata.labels);
        const all = "/apis/networking.k8s.io/v1/networkpolicies";
        const { items: policies } = await world.cluster.api.get<{ items: NetworkPolicy[] }>(all);
        const allowed = (from: Pod, to: Pod | string, ports: number[], protocol?: "UDP"): number[] =>
          ports.filter((port) => permits(policies, { from, to, port, ...(protocol && { protocol }) }));
        const inference = [8000, 8001, 8002];
        const others = [22, 53, 80, 443, 5432, 10250];

        const scraper = await podOf(world, "kube-system", { rsName: "ama-metrics" });
        const logs = await podOf(world, "kube-system", { dsName: "ama-logs-ds" });
        const stranger = await podOf(world, "default", { rsName: "ama-metrics" });
        assert.deepEqual(allowed(scraper, triton, [...inference, ...others]), [8002]);
        assert.deepEqual(allowed(logs, triton, [...inference, ...others]), []);
        assert.deepEqual(allowed(stranger, triton, [...inference, ...others]), []);

        const dns = await podOf(world, "kube-system", { "k8s-app": "kube-dns" });
        assert.deepEqual(allowed(triton, dns, others), [53]);
        assert.deepEqual(allowed(triton, dns, others, "UDP"), [53]);
        assert.deepEqual(allowed(triton, storage, others), [443]);
        assert.deepEqual(allowed(triton, metadataService, others), []);
        assert.deepEqual(allowed(triton, stranger, [...inference, ...others]), []);
      },
    },
  ],
};

/** Claims of a service account's token. */
interface Token {
  readonly iss: string;
  readonly sub: string;
  readonly aud: string[];
}

function credential({ cloud }: World) {
  const all = cloud.all("FederatedIdentityCredential");
  assert.equal(all.length, 1);
  const { issuer, subject, audiences } = all[0]?.[1].inputs ?? {};
  return { issuer, subject, audiences };
}

/** What Azure answered for the identity that the only federated credential belongs to. */
function identity({ cloud }: World) {
  const [[id] = [""]] = cloud.all("FederatedIdentityCredential");
  const { clientId, principalId } = cloud.get(id.slice(0, id.indexOf("/federatedidentitycredentials/")))?.outputs ?? {};
  assert.ok(clientId !== undefined && principalId !== undefined, "the credential belongs to no identity");
  return { clientId, principalId };
}

/** A pod with these labels, in a namespace as it is in the cluster. */
async function podOf(world: World, namespace: string, labels: Readonly<Record<string, string>>): Promise<Pod> {
  const { metadata } = await world.cluster.api.get<types.output.core.v1.Namespace>(`/api/v1/namespaces/${namespace}`);
  return { namespace: metadata, labels };
}

async function tritonPod(world: World) {
  const [pod] = await world.tritonPods();
  assert.ok(pod);
  return pod;
}
