import { cluster } from "../support/node-pools";
import { resourceRule } from "../support/rule";

export const clusterLocalAccountsOff = resourceRule({
  name: "cluster-local-accounts-off",
  description: "Clusters have no certificate-based admin accounts, which bypass Entra and cannot be revoked.",
  enforcementLevel: "mandatory",
  severity: "critical",
  remediationSteps:
    "Set cluster.localAccounts: false in the stack. Where an extension demands local accounts, set this policy to advisory " +
    "in the settings of the policies.",
  on: cluster,
  check: ({ inputs }) => {
    inputs.mustBe("disableLocalAccounts", true);
    inputs.mustBeSet("aadProfile", "without Entra and without local accounts nobody can sign in");
  },
});
