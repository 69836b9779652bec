/** A public Azure region. */
export interface AzureLocation {
  /** As Azure Resource Manager spells it, for example `westeurope`. */
  readonly name: string;
  /** Whether the region has availability zones. */
  readonly zones: boolean;
  /** The region that Azure pairs with it, if any. */
  readonly pair?: string;
}

/** Day (ISO 8601) of the list behind the table. */
export const azureLocationsAsOf = "2026-08-01";

export const azureLocations: readonly AzureLocation[] = [
  { name: "eastus", zones: true, pair: "westus" },
  { name: "eastus2", zones: true, pair: "centralus" },
  { name: "northeurope", zones: true, pair: "westeurope" },
  { name: "southcentralus", zones: true, pair: "northcentralus" },
  { name: "westeurope", zones: true, pair: "northeurope" },
];

const locationByName = new Map(azureLocations.map((location) => [location.name, location]));

/**
 * The table row of a region, by its name (`westeurope`).
 *
 * Undefined is no error: Azure opens regions after the day of the table. Callers warn at most.
 */
export const azureLocation = (name: string): AzureLocation | undefined => locationByName.get(name);
