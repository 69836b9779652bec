import type * as pulumi from "@pulumi/pulumi";
import type { Naming } from "../../core/naming";

/** Where a resource of Azure goes, and what it is called and tagged by. */
export interface Placement {
  readonly resourceGroupName: pulumi.Input<string>;
  readonly location: string;
  readonly naming: Naming;
  readonly tags: Record<string, string>;
}
