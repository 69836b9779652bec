import { loadSeconds } from "../../core/startup";
import { check } from "./check";

/** A probe that gives up before the models are loaded restarts the container for ever. */
export const startupBudget = check(["triton", "releases", "release"], ({ triton, releases, release }) => {
  const { budgetSeconds } = triton.startup;
  const served = releases.find(({ id }) => id === release);
  if (served === undefined || budgetSeconds === undefined) return [];
  const needed = loadSeconds(served, triton.startup);
  return budgetSeconds >= needed
    ? []
    : [
        {
          key: "triton.startup.budgetSeconds",
          message: `${budgetSeconds} s, but loading release ${release} takes ${needed} s; remove it (it is computed) or raise it`,
        },
      ];
});
