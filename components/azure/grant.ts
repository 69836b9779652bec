import * as authorization from "@pulumi/azure-native/authorization";
import * as pulumi from "@pulumi/pulumi";
import { digestUuid } from "../../core/digest";
import { type RoleName, roleDefinitionId } from "../../core/roles";

export interface GrantArgs {
  /** Object id of the principal: of an identity its `principalId`, never its `clientId`. */
  readonly principalId: pulumi.Input<string>;
  /** Kind of principal. Azure takes "User" when it is left out and then looks for a user that is not there. */
  readonly principalType: "Group" | "ServicePrincipal" | "User";
  readonly role: RoleName;
  /** Resource id that the role is given on. */
  readonly scope: pulumi.Input<string>;
  /** Seconds to wait after the assignment is made, see {@link waitForPropagation}. */
  readonly propagationSeconds: number;
}

/**
 * Assigns a built-in role. The name of the assignment, a UUID, follows from project, stack and logical name, so that a
 * second run finds what a first one made.
 */
export function grant(name: string, args: GrantArgs, opts: pulumi.CustomResourceOptions): authorization.RoleAssignment {
  const { principalId, principalType, role, scope, propagationSeconds } = args;
  return new authorization.RoleAssignment(
    name,
    {
      roleAssignmentName: digestUuid([pulumi.getProject(), pulumi.getStack(), name]),
      principalId,
      principalType,
      // From the provider rather than from the scope: it is known in a preview, when most scopes are not.
      roleDefinitionId: authorization
        .getClientConfigOutput(opts.parent && { parent: opts.parent })
        .apply(({ subscriptionId }) => roleDefinitionId(subscriptionId, role)),
      scope,
    },
    { ...opts, hooks: waitForPropagation(propagationSeconds) },
  );
}

/** Azure answers a request for a new right with success long before all its servers honour it; what comes next would fail. */
export const waitForPropagation = (seconds: number): pulumi.ResourceHookBinding => ({
  afterCreate: [() => new Promise<void>((resolve) => setTimeout(resolve, seconds * 1000))],
});
