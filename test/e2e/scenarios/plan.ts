import assert from "node:assert/strict";
import * as fs from "node:fs";
import * as path from "node:path";
import { accountKey } from "../../../tools/preview/engine";
import { unknownText } from "../../../tools/preview/engine/values";
import { run } from "../parts/lib/run";
import { type Scenario } from "../scenario";
import { type World } from "../world";

type Value = null | boolean | number | string | Value[] | { readonly [key: string]: Value };
type Plan = ReadonlyMap<string, { readonly parent: Value; readonly inputs: Value }>;

/** A place where the plans differ: the resource's type, the path in it, and what either plan has there. */
interface Difference {
  readonly type: string;
  readonly path: string;
  readonly cli: Value | undefined;
  readonly embedded: Value | undefined;
}

/** Why the plans may differ; each has to be found, so that none outlives its reason. */
const explanations: Readonly<Record<string, (difference: Difference) => boolean>> = {
  "the CLI's engine adds to a provider's inputs": ({ type, path, embedded }) =>
    type === "pulumi:providers:kubernetes" && /^inputs\.(version|__internal)$/.test(path) && embedded === undefined,
  "the Kubernetes provider knows no name before there is a cluster, though the program gave it": ({
    type,
    path,
    cli,
  }) => type.startsWith("kubernetes:") && /[.](name|namespace)$/.test(path) && cli === unknownText,
};

export const scenario: Scenario = { steps: ["dev", "prod"].flatMap(stepsFor) };

function stepsFor(stack: string): Scenario["steps"] {
  let cli: Plan;
  let embedded: Plan;
  return [
    {
      promise: `the CLI and \`npm run preview\` plan the same resources for Pulumi.${stack}.yaml, and show no key`,
      run: async (world) => {
        const root = path.resolve(__dirname, "..", "..", "..");
        fs.copyFileSync(path.join(root, `Pulumi.${stack}.yaml`), world.project.stackFile(stack));
        await world.project.stackInit(stack);
        [cli, embedded] = [await planOfCli(world, stack), await planOfPreview(world, stack)];
        assert.deepEqual([...cli.keys()].sort(), [...embedded.keys()].sort());
        assert.ok(cli.size > 50, `${String(cli.size)} resources are too few to be the stack`);
      },
    },
    {
      promise: `both give each resource of ${stack} the same parent and inputs, but for what is explained`,
      run: () => {
        const found = [...cli].flatMap(([urn, resource]) => {
          const type = /([^$:]+:[^$]*)::[^:]*$/.exec(urn)?.[1] ?? urn;
          return compare({ ...resource }, { ...embedded.get(urn) }).map((difference) => ({ type, ...difference }));
        });
        const reasons = Object.entries(explanations);
        assert.deepEqual(
          found.filter((difference) => !reasons.some(([, explains]) => explains(difference))),
          [],
        );
        assert.deepEqual(
          reasons.filter(([, explains]) => !found.some(explains)).map(([reason]) => reason),
          [],
        );
        return Promise.resolve();
      },
    },
  ];
}

async function planOfCli({ project }: World, stack: string): Promise<Plan> {
  const { steps } = await project.previewJson(stack);
  assert.ok(!JSON.stringify(steps).includes(accountKey));
  return new Map(
    steps.map(({ urn, newState }) => {
      const { parent = "", inputs = {} } = newState as { parent?: Value; inputs?: Value };
      return [urn, { parent, inputs }];
    }),
  );
}

async function planOfPreview({ project }: World, stack: string): Promise<Plan> {
  const file = path.join(project.folder, `${stack}.json`);
  await run("npm", ["run", "--silent", "preview", "--", "--stack", stack, "--json", file], { cwd: project.folder });
  const text = fs.readFileSync(file, "utf8");
  assert.ok(!text.includes(accountKey));
  const { resources } = JSON.parse(text) as { resources: { urn: string; parent: Value; inputs: Value }[] };
  return new Map(resources.map(({ urn, parent, inputs }) => [urn, { parent, inputs: asCliWrites(inputs) }]));
}

/** A value of the embedded preview's plan as the CLI writes it. */
function asCliWrites(value: Value): Value {
  if (typeof value !== "object" || value === null) return value;
  if (isList(value)) return value.map(asCliWrites);
  if (value["unknown"] === true) return unknownText;
  if (value["secret"] === true) return "[secret]";
  return Object.fromEntries(Object.entries(value).map(([key, child]) => [key, asCliWrites(child)]));
}

const isList = (value: Value): value is Value[] => Array.isArray(value);

/** Leaves at which two values differ. */
function compare(cli?: Value, embedded?: Value, at: readonly string[] = []): Omit<Difference, "type">[] {
  const isTree = (value?: Value): value is Record<string, Value> => typeof value === "object" && value !== null;
  if (isTree(cli) && isTree(embedded) && isList(cli) === isList(embedded)) {
    const keys = new Set([...Object.keys(cli), ...Object.keys(embedded)]);
    return [...keys].flatMap((key) => compare(cli[key], embedded[key], [...at, key]));
  }
  return cli === embedded ? [] : [{ path: at.join("."), cli, embedded }];
}
