import { parseArgs } from "node:util";
import { type Answers, randomSuffix } from "./stack-file";

/** The call was not understood; the message says how to call. */
export class UsageError extends Error {}

export const usage = `Writes the stack file of a new stack.

  npm run init -- --stack NAME --location LOCATION --admin OBJECT_ID[:TYPE] [options]

  --stack NAME          name of the stack; the file is Pulumi.NAME.yaml
  --location LOCATION   Azure location, such as westeurope; give it again for further regions
  --admin ID[:TYPE]     Entra object id of a cluster admin and its kind, Group (default), User or ServicePrincipal;
                        give it again for further admins
  --environment ENV     dev or prod; default prod, or dev when the stack is called dev
  --suffix SUFFIX       4 to 6 lower-case letters and digits for worldwide unique names; default random
  --force               replace an existing file
  --help                show this

On a terminal, what is missing is asked for.`;

/** Asks a person one question; undefined where there is no terminal. */
export type Ask = (question: string, fallback?: string) => Promise<string>;

export interface Call {
  readonly answers: Answers;
  readonly force: boolean;
}

const principal = (text: string): { objectId: string; type: string } => {
  const [, objectId = "", type = "Group"] = /^([^:]*)(?::(.*))?$/s.exec(text) ?? [];
  return { objectId: objectId.trim(), type: type.trim() };
};

const words = (text: string): string[] => text.split(/[\s,]+/).filter((word) => word !== "");

/**
 * Answers from flags, and from a person for what the flags leave open. Undefined when only help is wanted.
 *
 * @throws UsageError naming every flag that is missing or unknown
 */
export async function collect(args: readonly string[], ask: Ask | undefined): Promise<Call | undefined> {
  const flags = parse(args);
  if (flags.help) return undefined;

  const missing = (["stack", "location", "admin"] as const).filter((name) => flags[name] === undefined);
  if (ask === undefined && missing.length > 0) {
    throw new UsageError(`missing: ${missing.map((name) => `--${name}`).join(", ")}`);
  }
  const stack = flags.stack ?? (await ask?.("Name of the stack", "dev")) ?? "";
  if (!/^[A-Za-z0-9][A-Za-z0-9_.-]{0,99}$/.test(stack)) {
    throw new UsageError(
      `--stack: "${stack}" is no stack name; use letters, digits, '-', '_' and '.', a letter or digit first`,
    );
  }
  const likely = stack === "dev" ? "dev" : "prod";
  const environment = flags.environment ?? (ask === undefined ? likely : await ask("Environment, dev or prod", likely));
  const locations =
    flags.location?.flatMap(words) ?? words((await ask?.("Azure locations, separated by spaces", "westeurope")) ?? "");
  const admins =
    flags.admin ??
    words(
      (await ask?.("Object ids of cluster admins (az ad group show --group NAME --query id), as ID or ID:User")) ?? "",
    );
  return {
    force: flags.force ?? false,
    answers: {
      stack,
      environment: environment as Answers["environment"], // checked with all other values by the configuration
      locations,
      clusterAdmins: admins.map(principal),
      suffix: flags.suffix ?? randomSuffix(),
    },
  };
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        stack: { type: "string" },
        location: { type: "string", multiple: true },
        admin: { type: "string", multiple: true },
        environment: { type: "string" },
        suffix: { type: "string" },
        force: { type: "boolean" },
        help: { type: "boolean", short: "h" },
      },
    }).values;
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}
