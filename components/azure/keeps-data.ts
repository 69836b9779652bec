import type * as pulumi from "@pulumi/pulumi";

/**
 * Options of what holds data. In production Pulumi refuses to delete or replace it, and once the protection is lifted it
 * still only forgets it: taking the data away is left to a person.
 */
export const keepsData = (production: boolean): pulumi.CustomResourceOptions =>
  production ? { protect: true, retainOnDelete: true } : {};
