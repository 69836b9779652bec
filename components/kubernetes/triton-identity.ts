import * as managedidentity from "@pulumi/azure-native/managedidentity";
import type * as pulumi from "@pulumi/pulumi";
import { grant, waitForPropagation } from "../azure/grant";
import { createIdentity } from "../azure/identity";
import type { Placement } from "../azure/placement";

export interface TritonIdentityArgs extends Placement {
  readonly oidcIssuerUrl: pulumi.Input<string>;
  /** The service account whose pods may act as the identity. */
  readonly serviceAccount: { readonly namespace: string; readonly name: string };
  /** Resource id of the container of releases. */
  readonly containerId: pulumi.Input<string>;
  readonly propagationSeconds: number;
}

export interface TritonIdentity {
  readonly clientId: pulumi.Output<string>;
  /** What a pod needs before it can read as the identity. */
  readonly rights: readonly pulumi.Resource[];
}

/**
 * The identity that Triton's pods read releases with, without any key: Entra ID takes the token of their service account
 * for it (article "Use Microsoft Entra Workload ID with AKS"). It may read one container and nothing else.
 *
 * Azure refuses two federated credentials of one identity that are written at the same time: a second one has to depend on
 * the first.
 */
export function createTritonIdentity(
  name: string,
  args: TritonIdentityArgs,
  opts: pulumi.CustomResourceOptions,
): TritonIdentity {
  const { resourceGroupName, serviceAccount, propagationSeconds } = args;
  const identity = createIdentity(name, "triton", args, opts);
  const credential = new managedidentity.FederatedIdentityCredential(
    `${name}-credential`,
    {
      resourceGroupName,
      resourceName: identity.name,
      federatedIdentityCredentialResourceName: "triton",
      issuer: args.oidcIssuerUrl,
      subject: `system:serviceaccount:${serviceAccount.namespace}:${serviceAccount.name}`,
      audiences: ["api://AzureADTokenExchange"],
    },
    { ...opts, hooks: waitForPropagation(propagationSeconds) },
  );
  const role = grant(
    `${name}-reader`,
    {
      principalId: identity.principalId,
      principalType: "ServicePrincipal",
      role: "storageBlobDataReader",
      scope: args.containerId,
      propagationSeconds,
    },
    opts,
  );
  return { clientId: identity.clientId, rights: [credential, role] };
}
