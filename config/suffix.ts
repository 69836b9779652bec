import { z } from "zod";
import { suffixPattern } from "../core/naming";

export const suffix = z
  .string()
  .regex(suffixPattern, "use 4 to 6 lower-case letters and digits; `npm run init` makes one")
  .describe(
    "Part of every name that is unique worldwide (storage accounts, vault, registry, DNS labels), 4 to 6 lower-case " +
      "letters and digits. Change it after a destroy: Azure keeps the names of deleted vaults and workspaces for a while.",
  );
