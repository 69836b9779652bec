import type { Problem } from "../problem";
import type { Values } from "../schema";

/** What a check may look at beside the keys it names. */
export interface Context {
  readonly hasAdminKey: boolean;
}

/** A rule that spans keys. It runs when all keys that it names are valid by themselves. */
export interface Check<K extends keyof Values = keyof Values> {
  readonly needs: readonly K[];
  readonly find: (values: Pick<Values, K>, context: Context) => readonly Problem[];
}

/** Ties the keys that a check may read to those that it waits for. */
export const check = <K extends keyof Values>(needs: readonly K[], find: Check<K>["find"]): Check<K> => ({
  needs,
  find,
});
