/** A region of the public Azure cloud. */
export interface AzureLocation {
  /** As Azure Resource Manager spells it, for example `westeurope`. */
  readonly name: string;
  /** Whether the region has availability zones. A VM size may still be missing in some of them. */
  readonly zones: boolean;
  /** The region that Azure pairs with it, if any. Not always mutual: West US 3 names East US, which names West US. */
  readonly pair?: string;
}

/** Day (ISO 8601) of the list: article "Azure regions list". Regions that it calls coming soon are left out. */
export const azureLocationsAsOf = "2025-09-23";

type Pairs = readonly (readonly [name: string, pair?: string])[];

const withZones: Pairs = [
  ["australiaeast", "australiasoutheast"],
  ["austriaeast"],
  ["belgiumcentral"],
  ["brazilsouth", "southcentralus"],
  ["canadacentral", "canadaeast"],
  ["centralindia", "southindia"],
  ["centralus", "eastus2"],
  ["chilecentral"],
  ["eastasia", "southeastasia"],
  ["eastus", "westus"],
  ["eastus2", "centralus"],
  ["francecentral", "francesouth"],
  ["germanywestcentral", "germanynorth"],
  ["indonesiacentral"],
  ["israelcentral"],
  ["italynorth"],
  ["japaneast", "japanwest"],
  ["japanwest", "japaneast"],
  ["koreacentral", "koreasouth"],
  ["malaysiawest"],
  ["mexicocentral"],
  ["newzealandnorth"],
  ["northeurope", "westeurope"],
  ["norwayeast", "norwaywest"],
  ["polandcentral"],
  ["qatarcentral"],
  ["southafricanorth", "southafricawest"],
  ["southcentralus", "northcentralus"],
  ["southeastasia", "eastasia"],
  ["spaincentral"],
  ["swedencentral", "swedensouth"],
  ["switzerlandnorth", "switzerlandwest"],
  ["uaenorth", "uaecentral"],
  ["uksouth", "ukwest"],
  ["westeurope", "northeurope"],
  ["westus2", "westcentralus"],
  ["westus3", "eastus"],
];

const withoutZones: Pairs = [
  ["australiacentral", "australiacentral2"],
  ["australiacentral2", "australiacentral"],
  ["australiasoutheast", "australiaeast"],
  ["brazilsoutheast", "brazilsouth"],
  ["canadaeast", "canadacentral"],
  ["francesouth", "francecentral"],
  ["germanynorth", "germanywestcentral"],
  ["koreasouth", "koreacentral"],
  ["northcentralus", "southcentralus"],
  ["norwaywest", "norwayeast"],
  ["southafricawest", "southafricanorth"],
  ["southindia", "centralindia"],
  ["switzerlandwest", "switzerlandnorth"],
  ["uaecentral", "uaenorth"],
  ["ukwest", "uksouth"],
  ["westcentralus", "westus2"],
  ["westindia", "southindia"],
  ["westus", "eastus"],
];

const rows = (pairs: Pairs, zones: boolean): AzureLocation[] =>
  pairs.map(([name, pair]) => (pair === undefined ? { name, zones } : { name, zones, pair }));

export const azureLocations: readonly AzureLocation[] = [...rows(withZones, true), ...rows(withoutZones, false)];

const locationByName = new Map(azureLocations.map((location) => [location.name, location]));

/**
 * The row of a region by its name (`westeurope`).
 *
 * Undefined is no error: Azure opens regions after the day of the table, and some are for chosen customers only.
 * Callers warn at most.
 */
export const azureLocation = (name: string): AzureLocation | undefined => locationByName.get(name);

/** Whether a location has availability zones. One that the table does not know counts as having them, as most do. */
export const hasZones = (name: string): boolean => azureLocation(name)?.zones !== false;
