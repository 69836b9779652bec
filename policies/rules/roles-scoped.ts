import { isBroadRole, roleAssignment } from "../support/roles";
import { stackRule } from "../support/rule";
import { azureClass } from "../support/types";

/** Classes whose ids are scopes as large as a subscription, or larger. */
const wide: ReadonlySet<string> = new Set([
  "management:ManagementGroup",
  "subscription:Alias",
  "subscription:Subscription",
]);

/** Covers what `roles-narrow` cannot know in a preview: the id of a resource is always narrower than its subscription. */
export const rolesScoped = stackRule({
  name: "roles-scoped",
  description: "While the scope of a broad role is not known yet, it comes from a resource of the stack.",
  enforcementLevel: "mandatory",
  severity: "critical",
  remediationSteps: "Take the scope from the id of the resource that the role is for.",
  check: (stack) => {
    stack.each(roleAssignment, (assignment) => {
      const { inputs } = assignment;
      const role = inputs.read("roleDefinitionId");
      if (inputs.read("scope").is !== "unknown" || (role.is === "present" && !isBroadRole(role.value))) return;
      const classes = assignment.sourcesOf("scope").map(({ type }) => azureClass(type));
      const tooWide = classes.find((name) => name !== undefined && wide.has(name));
      if (tooWide !== undefined)
        assignment.report(`takes its scope from ${tooWide}, which is too wide for a broad role`);
      else if (!classes.some((name) => name !== undefined)) inputs.defer("scope");
    });
  },
});
