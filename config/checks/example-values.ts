import type { Problem } from "../problem";
import { check } from "./check";

/** What the shipped stack files hold for what only the user knows. */
export const exampleSuffix = "exmpl";
export const exampleObjectId = "11111111-1111-4111-8111-111111111111";

/** The shipped stack files preview as they are, but nobody should deploy them so. */
export const exampleValues = check(["suffix", "access"], ({ suffix, access }) => {
  const problems: Problem[] = [];
  const warn = (key: string, message: string) => problems.push({ key, message, severity: "warning" });
  if (suffix === exampleSuffix) {
    warn(
      "suffix",
      `\`${exampleSuffix}\` is an example, and names with it are taken; run \`npm run init\` for a stack file of your own`,
    );
  }
  for (const list of ["clusterAdmins", "publishers", "dataScientists"] as const) {
    access[list].forEach(({ objectId }, index) => {
      if (objectId === exampleObjectId) {
        warn(`access.${list}[${index}].objectId`, "this is an example, not a principal of yours; run `npm run init`");
      }
    });
  }
  return problems;
});
