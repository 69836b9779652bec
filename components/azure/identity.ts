import * as managedidentity from "@pulumi/azure-native/managedidentity";
import type * as pulumi from "@pulumi/pulumi";
import { nameFor } from "../../core/naming";
import type { Placement } from "./placement";

/** A user-assigned identity, named by its purpose. */
export const createIdentity = (
  name: string,
  purpose: string,
  { resourceGroupName, location, naming, tags }: Placement,
  opts: pulumi.CustomResourceOptions,
): managedidentity.UserAssignedIdentity =>
  new managedidentity.UserAssignedIdentity(
    `${name}-identity`,
    { resourceGroupName, location, resourceName: nameFor(naming, "managedIdentity", purpose), tags },
    opts,
  );
