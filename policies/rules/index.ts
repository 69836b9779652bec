import type { Policies } from "@pulumi/policy";
import { clusterEntraRbac } from "./cluster-entra-rbac";
import { clusterKubernetesSupported } from "./cluster-kubernetes-supported";
import { clusterLocalAccountsOff } from "./cluster-local-accounts-off";
import { clusterManagedIdentity } from "./cluster-managed-identity";
import { clusterNetworkPlugin } from "./cluster-network-plugin";
import { clusterNetworkPolicy } from "./cluster-network-policy";
import { clusterNoPatchPin } from "./cluster-no-patch-pin";
import { clusterOneInlinePool } from "./cluster-one-inline-pool";
import { clusterWorkloadIdentity } from "./cluster-workload-identity";
import { federatedCredentialsChained } from "./federated-credentials-chained";
import { federatedSubjectsExact } from "./federated-subjects-exact";
import { gpuDriverProfile } from "./gpu-driver-profile";
import { gpuPoolCap } from "./gpu-pool-cap";
import { gpuPoolTainted } from "./gpu-pool-tainted";
import { gpuSizeListed } from "./gpu-size-listed";
import { gpuTotalCap } from "./gpu-total-cap";
import { imagesPinned } from "./images-pinned";
import { kubeconfigNoCredentials } from "./kubeconfig-no-credentials";
import { mlIdentityDatastores } from "./ml-identity-datastores";
import { mlWorkspaceLinked } from "./ml-workspace-linked";
import { noCredentialsInEnv } from "./no-credentials-in-env";
import { podsUnprivileged } from "./pods-unprivileged";
import { registryNoAdminUser } from "./registry-no-admin-user";
import { releasesKeepEvidence } from "./releases-keep-evidence";
import { releasesPinned } from "./releases-pinned";
import { requiredTags } from "./required-tags";
import { rolesNarrow } from "./roles-narrow";
import { rolesScoped } from "./roles-scoped";
import { rolesTyped } from "./roles-typed";
import { statefulProtected } from "./stateful-protected";
import { storageFlat } from "./storage-flat";
import { storageLifecycleKeepsBlobs } from "./storage-lifecycle-keeps-blobs";
import { storageNoKeyedBlobs } from "./storage-no-keyed-blobs";
import { storageNoPublicBlobs } from "./storage-no-public-blobs";
import { storageNoSharedKeys } from "./storage-no-shared-keys";
import { storageRoute } from "./storage-route";
import { storageTls } from "./storage-tls";
import { tritonGracePeriod } from "./triton-grace-period";
import { tritonLimits } from "./triton-limits";
import { tritonNoPoll } from "./triton-no-poll";
import { tritonProbes } from "./triton-probes";
import { tritonRolloutRoom } from "./triton-rollout-room";
import { vaultPurgeProtection } from "./vault-purge-protection";
import { vaultRbac } from "./vault-rbac";

/** All policies, in the order of their table. */
export const rules: Policies = [
  storageNoPublicBlobs,
  storageNoSharedKeys,
  storageNoKeyedBlobs,
  storageTls,
  storageRoute,
  storageFlat,
  storageLifecycleKeepsBlobs,
  clusterLocalAccountsOff,
  clusterEntraRbac,
  clusterManagedIdentity,
  clusterWorkloadIdentity,
  clusterKubernetesSupported,
  clusterNoPatchPin,
  clusterNetworkPlugin,
  clusterNetworkPolicy,
  clusterOneInlinePool,
  kubeconfigNoCredentials,
  gpuSizeListed,
  gpuPoolTainted,
  gpuDriverProfile,
  gpuPoolCap,
  gpuTotalCap,
  imagesPinned,
  podsUnprivileged,
  noCredentialsInEnv,
  releasesPinned,
  releasesKeepEvidence,
  tritonProbes,
  tritonLimits,
  tritonGracePeriod,
  tritonNoPoll,
  tritonRolloutRoom,
  rolesTyped,
  rolesNarrow,
  rolesScoped,
  federatedSubjectsExact,
  federatedCredentialsChained,
  registryNoAdminUser,
  vaultRbac,
  vaultPurgeProtection,
  mlWorkspaceLinked,
  mlIdentityDatastores,
  requiredTags,
  statefulProtected,
];
