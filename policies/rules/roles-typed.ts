import { resourceRule } from "../support/rule";
import { azure } from "../support/types";

export const rolesTyped = resourceRule({
  name: "roles-typed",
  description: "Role assignments say what kind of principal they are for; Azure looks for a user otherwise.",
  enforcementLevel: "mandatory",
  severity: "medium",
  remediationSteps: "Set principalType: ServicePrincipal for identities, Group or User for people.",
  on: azure("authorization:RoleAssignment"),
  check: ({ inputs }) => {
    inputs.mustBe("principalType", "ServicePrincipal", "Group", "User");
    inputs.mustBeSet("principalId", "it is the object id of the principal");
  },
});
