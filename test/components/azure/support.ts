import type { Resource, Run } from "../../support/engine";

export const suffix = "ab12";

/** What every component of a region takes. */
export const place = {
  resourceGroupName: "group-of-region",
  location: "westeurope",
  naming: { project: "triton-azure", stack: "dev", location: "westeurope", suffix },
  tags: { project: "triton-azure", stack: "dev" },
};

/** What every component takes that there is one of. */
export const sharedPlace = {
  resourceGroupName: "group-shared",
  location: "westeurope",
  naming: { project: "triton-azure", stack: "dev", suffix },
  tags: { project: "triton-azure", stack: "dev" },
};

const network =
  "/subscriptions/00000000-0000-0000-0000-000000000000/resourceGroups/group-of-region/providers/Microsoft.Network";
export const nodeSubnetId = `${network}/virtualNetworks/net/subnets/nodes`;
export const privateEndpointSubnetId = `${network}/virtualNetworks/net/subnets/private-endpoints`;
export const blobDnsZoneId = `${network}/privateDnsZones/privatelink.blob.core.windows.net`;

/** Runs each choice of arguments once: a run is only read, and several tests read the same. */
export function memoized<A extends readonly unknown[]>(
  run: (...args: A) => Promise<Run>,
): (...args: A) => Promise<Run> {
  const runs = new Map<string, Promise<Run>>();
  return (...args) => {
    const key = JSON.stringify(args);
    const made = runs.get(key) ?? run(...args);
    runs.set(key, made);
    return made;
  };
}

/** Whether `later` waits for `earlier`, on whatever way. */
export function comesAfter(run: Run, later: Resource, earlier: Resource): boolean {
  const seen = new Set<string>();
  const queue = [...later.dependencies];
  for (let urn = queue.pop(); urn !== undefined; urn = queue.pop()) {
    if (urn === earlier.urn) return true;
    if (seen.has(urn)) continue;
    seen.add(urn);
    queue.push(...run.byUrn(urn).dependencies);
  }
  return false;
}

/** All resources that a provider makes. */
export const custom = (run: Run): Resource[] => run.resources.filter((resource) => resource.custom);

/** Resources of azure-native that have no tags although their class takes them. */
export const untagged = (run: Run): string[] =>
  custom(run)
    .filter(({ type }) => !untaggable.has(type))
    .filter(({ inputs }) => inputs["tags"] === undefined)
    .map(({ type, name }) => `${type} ${name}`);

const untaggable = new Set([
  "azure-native:authorization:RoleAssignment",
  "azure-native:machinelearningservices:Datastore",
  "azure-native:machinelearningservices:ModelContainer",
  "azure-native:machinelearningservices:ModelVersion",
  "azure-native:network:PrivateDnsZoneGroup",
  "azure-native:network:Subnet",
  "azure-native:storage:BlobContainer",
  "azure-native:storage:BlobServiceProperties",
  "azure-native:storage:ManagementPolicy",
]);
