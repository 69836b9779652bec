import { nearest } from "../../core/nearest";
import { azureMlModelName, registryIdentity, repositoryModel } from "../../core/release";
import { type Problem, repeatsEarlier } from "../problem";
import { check } from "./check";

export const releaseRecords = check(["releases", "release"], ({ releases, release }) => {
  const problems: Problem[] = [];
  /** Models of earlier releases and entries, by their name in Azure ML. A model may be in many releases, once in each. */
  const known = new Map<string, string>();

  releases.forEach(({ id, models }, index) => {
    if (repeatsEarlier(releases, index, (entry) => entry.id)) {
      problems.push({ key: `releases[${index}].id`, message: `${id} is there already; a release is recorded once` });
    }
    const here = new Set<string>();
    models.forEach(({ name }, model) => {
      const key = `releases[${index}].models[${model}].name`;
      const registered = registryIdentity(name);
      const other = known.get(registered) ?? name;
      if (registered === repositoryModel) {
        problems.push({ key, message: `${name} is the name of the whole repository in Azure ML; rename the model` });
      } else if (here.has(name)) {
        problems.push({ key, message: `${name} is there already; a model is recorded once in a release` });
      } else if (other !== name) {
        problems.push({
          key,
          message: `${name} and ${other} would have one name in Azure ML, ${azureMlModelName(name)}; rename one`,
        });
      }
      here.add(name);
      known.set(registered, other);
    });
  });
  if (release !== "" && !releases.some(({ id }) => id === release)) {
    const ids = releases.map(({ id }) => id);
    const hint = ids.length === 0 ? "publish it first" : `did you mean ${nearest(release, ids) ?? ids.join(", ")}?`;
    problems.push({ key: "release", message: `${release} is not in triton-azure:releases; ${hint}` });
  }
  return problems;
});
