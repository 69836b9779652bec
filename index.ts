import * as pulumi from "@pulumi/pulumi";
import { Region, SharedServices } from "./components";
import { readStack } from "./config/stack";
import { kubeloginMethod } from "./core/kubeconfig";
import { nextStep as describe } from "./core/next-step";

const { config, adminKey } = readStack();
const naming = { project: pulumi.getProject(), stack: pulumi.getStack(), suffix: config.suffix };
const tags = {
  ...config.tags,
  project: naming.project,
  stack: naming.stack,
  environment: config.environment,
  "managed-by": "pulumi",
};
const login = kubeloginMethod(process.env);

const shared = new SharedServices("shared", { config, naming, tags });

const regions = config.regions.map(
  (region) =>
    new Region(`region-${region.location}`, {
      config,
      region,
      naming,
      tags,
      registry: shared.registry,
      login,
      adminKey,
    }),
);

const home = regions.find(({ location }) => location === config.machineLearning.location);
const workspace = config.machineLearning.enabled && home ? shared.addWorkspace(home.modelStore) : undefined;

/** By location: names of resource group, cluster and storage account, and Triton's namespace once it serves. */
export const servingRegions = Object.fromEntries(regions.map(({ location, progress }) => [location, progress]));

/** Name of the Azure ML workspace; "none" when the stack has none. */
export const machineLearningWorkspace = workspace?.workspaceName ?? "none";

/** What to run now. */
export const nextStep = pulumi
  .all(regions.map(({ progress }) => progress))
  .apply((progress) => describe(naming.stack, config, progress));
