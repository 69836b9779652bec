import { describe, expect, it } from "vitest";
import { azureLocation, azureLocations, azureLocationsAsOf } from "../../core/azure-locations";

describe("Azure locations", () => {
  it("have unique names as Azure Resource Manager spells them", () => {
    const names = azureLocations.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    for (const name of names) expect(name).toMatch(/^[a-z]+[0-9]?$/);
  });

  it.each([
    ["westeurope", { name: "westeurope", zones: true, pair: "northeurope" }],
    ["eastus", { name: "eastus", zones: true, pair: "westus" }],
    ["westus", { name: "westus", zones: false, pair: "eastus" }],
    ["westus3", { name: "westus3", zones: true, pair: "eastus" }],
    ["northcentralus", { name: "northcentralus", zones: false, pair: "southcentralus" }],
    ["polandcentral", { name: "polandcentral", zones: true }],
  ])("%s is %o", (name, location) => {
    expect(azureLocation(name)).toEqual(location);
  });

  it("are undefined, not an error, when the table does not have them", () => {
    expect(azureLocation("atlantiscentral")).toBeUndefined();
    expect(azureLocation("West Europe")).toBeUndefined();
  });

  it("pair with another location of the table; Sweden South alone is no public choice", () => {
    for (const { name, pair } of azureLocations) {
      if (pair === undefined || pair === "swedensouth") continue;
      expect(pair).not.toBe(name);
      expect(azureLocation(pair), `${name} pairs with ${pair}`).toBeDefined();
    }
  });

  it("pair mutually but for the four that Azure pairs one way", () => {
    const oneWay = azureLocations.filter(
      ({ name, pair }) => pair !== undefined && azureLocation(pair) !== undefined && azureLocation(pair)?.pair !== name,
    );
    expect(oneWay.map(({ name }) => name).sort()).toEqual(["brazilsouth", "brazilsoutheast", "westindia", "westus3"]);
  });

  it("carry the day of the list", () => {
    expect(new Date(azureLocationsAsOf).toISOString().slice(0, 10)).toBe(azureLocationsAsOf);
  });
});
