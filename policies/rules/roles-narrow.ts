import { resourceRule } from "../support/rule";
import { isBroadRole, isWideScope, roleAssignment } from "../support/roles";

/**
 * Either one is enough to let an assignment pass: a narrow role, or a narrow scope. A scope that is not known yet, as in the
 * first preview of any stack, is left to `roles-scoped`; before an assignment is made this one sees the value.
 */
export const rolesNarrow = resourceRule({
  name: "roles-narrow",
  description: "Nobody becomes Owner, Contributor or User Access Administrator of a subscription or more.",
  enforcementLevel: "mandatory",
  severity: "critical",
  remediationSteps: "Assign a role for the task, or give the broad one on a resource or resource group only.",
  on: roleAssignment,
  check: ({ inputs }) => {
    const role = inputs.read("roleDefinitionId");
    const scope = inputs.read("scope");
    if (role.is === "absent") inputs.mustBeSet("roleDefinitionId", "it is the id of the role");
    if (scope.is === "absent") inputs.mustBeSet("scope", "it is the id of what the role is given on");
    if (role.is === "absent" || scope.is !== "present" || !isWideScope(scope.value)) return;
    inputs.must("roleDefinitionId", (id) => !isBroadRole(id), `must not be given on ${String(scope.value)}`);
  },
});
