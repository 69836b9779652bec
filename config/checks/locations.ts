import { azureLocation, azureLocations, hasZones } from "../../core/azure-locations";
import { nearest } from "../../core/nearest";
import { type Problem, repeatsEarlier } from "../problem";
import { homeLocation } from "../resolve";
import { check } from "./check";

export const locations = check(["regions", "machineLearning", "cluster", "gpuPools"], (values) => {
  const { regions, machineLearning, cluster, gpuPools } = values;
  const problems: Problem[] = [];
  regions.forEach(({ location }, index) => {
    const key = `regions[${index}].location`;
    if (repeatsEarlier(regions, index, (region) => region.location)) {
      problems.push({ key, message: `${location} is there already; name each location once` });
    }
    problems.push(...unknownLocation(key, location));
    const zoned = cluster.zones.length > 0 || gpuPools.some(({ zones }) => zones.length > 0);
    if (zoned && !hasZones(location)) {
      problems.push({
        key,
        message: `${location} has no availability zones; set cluster.zones and the zones of each GPU pool to []`,
      });
    }
  });
  if (machineLearning.location !== undefined) {
    problems.push(...unknownLocation("machineLearning.location", machineLearning.location));
    if (machineLearning.enabled && !regions.some(({ location }) => location === machineLearning.location)) {
      problems.push({
        key: "machineLearning.location",
        message: `${machineLearning.location} is not among triton-azure:regions; the workspace registers the models of a region's store, so name one of ${regions.map(({ location }) => location).join(", ")}`,
      });
    }
  } else if (homeLocation(values) === undefined) {
    problems.push({
      key: "machineLearning.location",
      message:
        "required with several regions: name where the workspace and the registry live, so that the order of regions means nothing",
    });
  }
  return problems;
});

/** A warning only: Azure opens locations faster than a table follows. */
function unknownLocation(key: string, location: string): Problem[] {
  if (azureLocation(location) !== undefined) return [];
  const guess = nearest(
    location,
    azureLocations.map(({ name }) => name),
  );
  const hint = guess === undefined ? "check `az account list-locations`" : `did you mean ${guess}?`;
  return [{ key, message: `${location} is not a location known here; ${hint}`, severity: "warning" }];
}
