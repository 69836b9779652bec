import { broadRoleIds } from "../../core/roles";
import { azure, type TypeTest } from "./types";

export const roleAssignment: TypeTest = azure("authorization:RoleAssignment");

/** Whether a role hands out everything. Built-in roles end in the same UUID in every subscription. */
export const isBroadRole = (roleDefinitionId: unknown): boolean =>
  typeof roleDefinitionId !== "string" ||
  broadRoleIds.includes(roleDefinitionId.slice(roleDefinitionId.lastIndexOf("/") + 1).toLowerCase());

/** Whether a scope is larger than a resource group: a subscription, a management group, or all of them. */
export const isWideScope = (scope: unknown): boolean =>
  typeof scope !== "string" || !/^\/subscriptions\/[^/]+\/resourceGroups\/[^/]+/i.test(scope);
