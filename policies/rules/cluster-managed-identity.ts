import { cluster } from "../support/node-pools";
import { resourceRule } from "../support/rule";

export const clusterManagedIdentity = resourceRule({
  name: "cluster-managed-identity",
  description: "Clusters act by a managed identity, not by a service principal with a secret that expires.",
  enforcementLevel: "mandatory",
  severity: "high",
  remediationSteps:
    "Set identity.type: UserAssigned with an identity that may use the network, and remove servicePrincipalProfile.",
  on: cluster,
  check: ({ inputs }) => {
    inputs.mustBe("identity.type", "UserAssigned", "SystemAssigned");
    // AKS itself answers with this placeholder for clusters with a managed identity.
    inputs.mayOnly("servicePrincipalProfile.clientId", (id) => id === "msi", "must go: use a managed identity");
    inputs.mayOnly("servicePrincipalProfile.secret", () => false, "must go: use a managed identity");
  },
});
