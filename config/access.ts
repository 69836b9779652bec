import { z } from "zod";
import { repeatsEarlier } from "./problem";

const principal = z.strictObject({
  objectId: z
    .guid("write the object id of the Entra principal, a UUID (`az ad group show --group NAME --query id`)")
    .describe("Object id of the Entra principal (not the application id)."),
  type: z
    .enum(["Group", "User", "ServicePrincipal"])
    .default("Group")
    .describe("Kind of principal; a group suits people best."),
});

export type Principal = z.output<typeof principal>;

/** Azure takes each role once for a principal, so that naming one twice would fail half way. */
const principals = z.array(principal).superRefine((list, context) => {
  list.forEach(({ objectId }, index) => {
    if (repeatsEarlier(list, index, (entry) => entry.objectId.toLowerCase())) {
      context.addIssue({
        code: "custom",
        path: [index, "objectId"],
        message: `${objectId} is there already; name each principal once`,
      });
    }
  });
});

export const access = z
  .strictObject({
    clusterAdmins: principals
      .min(1, "name at least one admin: without one nobody, not even the deployer, may create objects in the cluster")
      .describe("Azure Kubernetes Service RBAC Cluster Admins; include the identity that runs `pulumi up`."),
    publishers: principals
      .default([])
      .describe("May write model releases: Storage Blob Data Contributor on the container."),
    dataScientists: principals
      .default([])
      .describe("AzureML Data Scientist on the workspace and Storage Blob Data Contributor on its account."),
    runner: z
      .enum(["public", "private"])
      .default("public")
      .describe(
        "Where `pulumi up` and publishing run: `private` inside the network, as a private API server or store demands.",
      ),
    propagationSeconds: z
      .int()
      .min(0)
      .max(600)
      .default(90)
      .describe(
        "Wait after each new role assignment or federated credential: Azure takes a while to honour it everywhere.",
      ),
  })
  .describe("Who may do what. Never derived from the caller, which differs between a laptop and CI.");
