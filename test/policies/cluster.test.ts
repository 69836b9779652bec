import { describe, expect, it } from "vitest";
import { supportedKubernetesVersions } from "../../core/kubernetes-versions";
import { clusterEntraRbac } from "../../policies/rules/cluster-entra-rbac";
import { clusterKubernetesSupported } from "../../policies/rules/cluster-kubernetes-supported";
import { clusterLocalAccountsOff } from "../../policies/rules/cluster-local-accounts-off";
import { clusterManagedIdentity } from "../../policies/rules/cluster-managed-identity";
import { clusterNetworkPlugin } from "../../policies/rules/cluster-network-plugin";
import { clusterNetworkPolicy } from "../../policies/rules/cluster-network-policy";
import { clusterNoPatchPin } from "../../policies/rules/cluster-no-patch-pin";
import { clusterOneInlinePool } from "../../policies/rules/cluster-one-inline-pool";
import { clusterWorkloadIdentity } from "../../policies/rules/cluster-workload-identity";
import { kubeconfigNoCredentials } from "../../policies/rules/kubeconfig-no-credentials";
import { cluster, gpuPool } from "./fixtures/azure";
import { kubeconfigOf, kubeloginUser, kubernetesProvider } from "./fixtures/kubernetes";
import { verdicts } from "./support/analyzer";
import { promises } from "./support/promises";
import { changed, secret } from "./support/values";

promises(clusterLocalAccountsOff, "cluster (P3)", {
  of: cluster,
  refuses: [{ path: "disableLocalAccounts", to: false, saying: /disableLocalAccounts is false; it must be true/ }],
  needs: [
    { path: "disableLocalAccounts", saying: /disableLocalAccounts is missing/ },
    { path: "aadProfile", saying: /aadProfile is missing; without Entra/ },
  ],
  reads: ["disableLocalAccounts"],
});

promises(clusterEntraRbac, "cluster", {
  of: cluster,
  refuses: [
    { path: "aadProfile.managed", to: false, saying: /aadProfile\.managed is false/ },
    { path: "aadProfile.enableAzureRBAC", to: false, saying: /aadProfile\.enableAzureRBAC is false/ },
    { path: "enableRBAC", to: false, saying: /enableRBAC is false/ },
  ],
  needs: [
    { path: "aadProfile.managed", saying: /aadProfile\.managed is missing/ },
    { path: "aadProfile.enableAzureRBAC", saying: /aadProfile\.enableAzureRBAC is missing/ },
  ],
  reads: ["aadProfile", "aadProfile.enableAzureRBAC", "enableRBAC"],
});

promises(clusterWorkloadIdentity, "cluster", {
  of: cluster,
  refuses: [
    { path: "oidcIssuerProfile.enabled", to: false, saying: /oidcIssuerProfile\.enabled is false/ },
    { path: "securityProfile.workloadIdentity.enabled", to: false, saying: /workloadIdentity\.enabled is false/ },
  ],
  needs: [
    { path: "oidcIssuerProfile", saying: /oidcIssuerProfile\.enabled is missing/ },
    { path: "securityProfile", saying: /workloadIdentity\.enabled is missing/ },
  ],
  reads: ["oidcIssuerProfile.enabled", "securityProfile"],
});

promises(clusterManagedIdentity, "cluster", {
  of: cluster,
  refuses: [
    { path: "identity.type", to: "None", saying: /identity\.type is None; it must be UserAssigned/ },
    { path: "servicePrincipalProfile", to: { clientId: "11111111-1111-4111-8111-111111111111" }, saying: /clientId/ },
    {
      path: "servicePrincipalProfile",
      to: { clientId: "msi", secret: secret("sentinel-secret") },
      saying: /servicePrincipalProfile\.secret/,
      because: "the secret of a service principal",
    },
  ],
  needs: [{ path: "identity", saying: /identity\.type is missing/ }],
  reads: ["identity.type", "servicePrincipalProfile.clientId"],
  allows: [
    { path: "servicePrincipalProfile", to: { clientId: "msi" }, because: "the placeholder of managed identities" },
  ],
});

promises(clusterNetworkPlugin, "cluster (A12)", {
  of: cluster,
  refuses: [
    { path: "networkProfile.networkPlugin", to: "kubenet", saying: /networkPlugin is kubenet; it must be azure/ },
  ],
  needs: [{ path: "networkProfile", saying: /networkProfile\.networkPlugin is missing/ }],
  reads: ["networkProfile", "networkProfile.networkPlugin"],
});

promises(clusterNetworkPolicy, "cluster", {
  of: cluster,
  refuses: [{ path: "networkProfile.networkPolicy", to: "none", saying: /networkPolicy is none; it must be cilium/ }],
  needs: [{ path: "networkProfile.networkPolicy", saying: /networkPolicy is missing/ }],
  reads: ["networkProfile.networkPolicy"],
});

promises(clusterKubernetesSupported, "cluster (A11)", {
  of: cluster,
  refuses: [
    { path: "kubernetesVersion", to: "1.29", saying: /kubernetesVersion is 1\.29; it must be a supported version/ },
    { path: "kubernetesVersion", to: "1.34", saying: /1\.34; it must/, because: "a version in long-term support only" },
    { path: "kubernetesVersion", to: "2.0", saying: /2\.0; it must/, because: "a version that AKS does not have" },
    { path: "agentPoolProfiles[0].orchestratorVersion", to: "1.29", saying: /\[0\]\.orchestratorVersion is 1\.29/ },
  ],
  needs: [{ path: "kubernetesVersion", saying: /kubernetesVersion is missing/ }],
  reads: ["kubernetesVersion", "agentPoolProfiles", "agentPoolProfiles[0].orchestratorVersion"],
  allows: supportedKubernetesVersions.map((to) => ({ path: "kubernetesVersion", to, because: to })),
});

promises(clusterKubernetesSupported, "cluster with long-term support", {
  of: {
    ...cluster,
    props: {
      ...cluster.props,
      kubernetesVersion: "1.34",
      supportPlan: "AKSLongTermSupport",
      sku: { name: "Base", tier: "Premium" },
    },
  },
  refuses: [
    {
      path: "sku.tier",
      to: "Standard",
      saying: /kubernetesVersion is 1\.34/,
      because: "long-term support in the tier Standard",
    },
    { path: "supportPlan", to: "KubernetesOfficial", saying: /kubernetesVersion is 1\.34/ },
  ],
});

promises(clusterKubernetesSupported, "pool", {
  of: { ...gpuPool, props: { ...gpuPool.props, orchestratorVersion: "1.36" } },
  refuses: [{ path: "orchestratorVersion", to: "1.29", saying: /orchestratorVersion is 1\.29/ }],
  reads: ["orchestratorVersion"],
  allows: [{ path: "orchestratorVersion", to: undefined, because: "a pool that follows its cluster" }],
});

promises(clusterNoPatchPin, "cluster (A11)", {
  of: cluster,
  refuses: [
    { path: "kubernetesVersion", to: "1.35.4", saying: /kubernetesVersion is 1\.35\.4; it must be a minor version/ },
  ],
  needs: [{ path: "kubernetesVersion", saying: /kubernetesVersion is missing/ }],
  reads: ["kubernetesVersion"],
});

promises(clusterOneInlinePool, "cluster (P13)", {
  of: cluster,
  refuses: [
    { path: "agentPoolProfiles", to: [], saying: /agentPoolProfiles is \[\]; it must hold one pool/ },
    { path: "agentPoolProfiles[1]", to: { name: "gpu", mode: "System" }, saying: /it must hold one pool/ },
    {
      path: "agentPoolProfiles[0].mode",
      to: "User",
      saying: /agentPoolProfiles\[0\]\.mode is User; it must be System/,
    },
  ],
  needs: [{ path: "agentPoolProfiles", saying: /agentPoolProfiles is missing/ }],
  reads: ["agentPoolProfiles[0].mode"],
});

describe("cluster-one-inline-pool (P13)", () => {
  it.each([["agentPoolProfiles"], ["agentPoolProfiles[*]"]])("refuses to ignore changes of %s", async (path) => {
    expect(await verdicts(clusterOneInlinePool, [{ ...cluster, ignoreChanges: [path] }])).toMatchObject([
      { level: "mandatory", message: expect.stringContaining("ignoreChanges holds agentPoolProfiles") as unknown },
    ]);
  });
});

const withUser = (user: Record<string, unknown>) => kubeconfigOf(user);
const withArgs = (...args: string[]) => kubeconfigOf(kubeloginUser(["get-token", ...args]));

promises(kubeconfigNoCredentials, "Kubernetes provider (P2, P3)", {
  of: kubernetesProvider,
  refuses: [
    { path: "kubeconfig", to: withUser({ "client-key-data": "c2VudGluZWw=" }), saying: /user 1 holds client-key-data/ },
    { path: "kubeconfig", to: withUser({ ...kubeloginUser(), token: "t" }), saying: /user 1 holds token/ },
    { path: "kubeconfig", to: withUser({ "auth-provider": { name: "azure" } }), saying: /holds auth-provider/ },
    { path: "kubeconfig", to: withUser({ exec: { command: "sh" } }), saying: /does not log in by kubelogin/ },
    { path: "kubeconfig", to: withUser({}), saying: /does not log in by kubelogin/ },
    { path: "kubeconfig", to: withArgs("--login", "devicecode"), saying: /logs in by devicecode, which asks somebody/ },
    { path: "kubeconfig", to: withArgs("--login=interactive"), saying: /logs in by interactive/ },
    { path: "kubeconfig", to: withArgs("-l", "ropc"), saying: /logs in by ropc/ },
    {
      path: "kubeconfig",
      to: withArgs(),
      saying: /logs in by devicecode, kubelogin's default/,
      because: "no login method",
    },
    { path: "kubeconfig", to: "~/.kube/config", saying: /no users, or cannot be read/ },
    { path: "kubeconfig", to: "users: [", saying: /no users, or cannot be read/ },
    { path: "kubeconfig", to: "", saying: /kubeconfig is missing/ },
  ].map((refusal, index) => ({ because: `kubeconfig ${index + 1}: ${refusal.saying.source}`, ...refusal })),
  needs: [{ path: "kubeconfig", saying: /kubeconfig is missing/ }],
  reads: ["kubeconfig"],
  allows: [
    { path: "kubeconfig", to: withArgs("--login", "workloadidentity"), because: "workload identity" },
    { path: "kubeconfig", to: secret(kubeconfigOf(kubeloginUser())), because: "a kubeconfig that is secret" },
  ],
});

describe("kubeconfig-no-credentials", () => {
  it("judges a secret kubeconfig and quotes nothing of it", async () => {
    const kubeconfig = secret(withUser({ "client-key-data": "c2VudGluZWw=", password: "sentinel-password" }));
    const found = await verdicts(kubeconfigNoCredentials, [
      { ...kubernetesProvider, props: changed(kubernetesProvider.props, "kubeconfig", kubeconfig) },
    ]);
    expect(found).toHaveLength(2);
    expect(JSON.stringify(found)).not.toMatch(/c2VudGluZWw|sentinel/);
  });
});
