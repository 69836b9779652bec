import { broadRoleIds } from "../../core/roles";
import { resourceRule } from "../support/rule";
import { azure } from "../support/types";

const guid = (roleDefinitionId: string): string =>
  roleDefinitionId.slice(roleDefinitionId.lastIndexOf("/") + 1).toLowerCase();
const isBroad = (role: unknown): boolean => typeof role !== "string" || broadRoleIds.includes(guid(role));
const isWide = (scope: unknown): boolean =>
  typeof scope !== "string" || !/^\/subscriptions\/[^/]+\/resourceGroups\/[^/]+/i.test(scope);

/** Either one is enough to let an assignment pass: a narrow role, or a narrow scope. */
export const rolesNarrow = resourceRule({
  name: "roles-narrow",
  description: "Nobody becomes Owner, Contributor or User Access Administrator of a subscription or more.",
  enforcementLevel: "mandatory",
  severity: "critical",
  remediationSteps: "Assign a role for the task, or give the broad one on a resource or resource group only.",
  on: azure("authorization:RoleAssignment"),
  check: ({ inputs }) => {
    const role = inputs.read("roleDefinitionId");
    const scope = inputs.read("scope");
    if (role.is === "present" && !isBroad(role.value)) return;
    if (scope.is === "present" && !isWide(scope.value)) {
      inputs.mustBeSet("roleDefinitionId", "it is the id of the role");
      return;
    }
    if (role.is === "unknown" || scope.is === "unknown") {
      inputs.defer("roleDefinitionId");
      inputs.defer("scope");
      return;
    }
    inputs.must(
      "roleDefinitionId",
      (value) => !isBroad(value),
      "must not be Owner, Contributor or User Access Administrator",
    );
    inputs.must("scope", (value) => !isWide(value), "must be a resource or resource group");
  },
});
