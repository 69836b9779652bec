import { nearest } from "../../core/nearest";
import { azureMlModelName } from "../../core/release";
import type { Problem } from "../problem";
import { check } from "./check";

export const releaseRecords = check(["releases", "release"], ({ releases, release }) => {
  const problems: Problem[] = [];
  releases.forEach(({ id, models }, index) => {
    if (releases.findIndex((other) => other.id === id) < index) {
      problems.push({ key: `releases[${index}].id`, message: `${id} is there already; a release is recorded once` });
    }
    models.forEach(({ name }, model) => {
      const clash = models.slice(0, model).find((other) => azureMlModelName(other.name) === azureMlModelName(name));
      if (clash !== undefined) {
        const key = `releases[${index}].models[${model}].name`;
        problems.push({
          key,
          message: `${name} and ${clash.name} would have one name in Azure ML, ${azureMlModelName(name)}; rename one`,
        });
      }
    });
  });
  if (release !== "" && !releases.some(({ id }) => id === release)) {
    const guess = nearest(
      release,
      releases.map(({ id }) => id),
    );
    const hint =
      releases.length === 0 ? "publish it first" : `did you mean ${guess ?? releases.map(({ id }) => id).join(", ")}?`;
    problems.push({ key: "release", message: `${release} is not in triton-azure:releases; ${hint}` });
  }
  return problems;
});
