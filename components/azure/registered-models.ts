import * as ml from "@pulumi/azure-native/machinelearningservices";
import * as pulumi from "@pulumi/pulumi";
import { digest } from "../../core/digest";
import { releasePath } from "../../core/model-repository";
import { azureMlModelName, registryIdentity, type Release, repositoryModel } from "../../core/release";

export interface RegisteredModelsArgs {
  readonly resourceGroupName: pulumi.Input<string>;
  readonly workspaceName: pulumi.Input<string>;
  /** Long form of the datastore's address, `azureml://subscriptions/.../datastores/<name>`. */
  readonly datastoreUri: pulumi.Input<string>;
  /** Unpruned releases in the container behind the datastore. */
  readonly releases: readonly Release[];
}

/**
 * Registers each release as a `triton_model` and each of its models as a `custom_model`.
 *
 * A registered version cannot be changed and azure-native deletes before it replaces, so nothing here depends on the
 * other releases or on their order: publishing adds resources, pruning removes them, and no other is touched. Removing a
 * version removes the record alone, never the files.
 *
 * @param opts `dependsOn` names the datastore, `deletedWith` the workspace
 * @throws RunError when a model has the name that stands for whole releases
 */
export function registerReleases(name: string, args: RegisteredModelsArgs, opts: pulumi.CustomResourceOptions): void {
  refuseReservedName(args.releases);
  const { resourceGroupName, workspaceName } = args;
  const versions = args.releases.flatMap((release) => [
    repositoryVersion(release),
    ...release.models.map((model) => modelVersion(release.id, model)),
  ]);
  for (const model of new Set(versions.map((version) => version.model))) {
    const container = new ml.ModelContainer(
      `${name}-model-${model}`,
      { resourceGroupName, workspaceName, name: model, properties: { description: containerDescription(model) } },
      opts,
    );
    for (const { releaseId, path, properties, ...rest } of versions.filter((version) => version.model === model)) {
      new ml.ModelVersion(
        // A slash is in no id and no name, so that no two of these meet.
        `${name}-release-${releaseId}/${model}`,
        {
          resourceGroupName,
          workspaceName,
          name: model,
          version: azureMlVersion(releaseId),
          properties: {
            modelType: rest.modelType,
            modelUri: pulumi.interpolate`${args.datastoreUri}/paths/${path}`,
            description: rest.description,
            tags: { ...rest.tags, release: releaseId },
            properties: { ...properties, release: releaseId },
          },
        },
        { ...opts, dependsOn: container },
      );
    }
  }
}

/**
 * Version in Azure ML of what belongs to a release: a number from 1 to 2^31 - 1 that follows from the id. Azure ML takes
 * any text as version of an environment or a data asset, but a positive integer as version of a model; its own count
 * would differ from run to run.
 */
export const azureMlVersion = (releaseId: string): string =>
  String(1 + (parseInt(digest(releaseId, 8), 16) % (2 ** 31 - 1)));

/**
 * The long form of a datastore's address. The short one, without subscription, is resolved by clients against whatever
 * workspace they are set to, and Azure Resource Manager refuses it.
 *
 * @param workspaceId resource id of the workspace
 */
export function datastoreUri(workspaceId: string, datastore: string): string {
  const match = /^\/subscriptions\/([^/]+)\/resourceGroups\/([^/]+)\/.*\/workspaces\/([^/]+)$/i.exec(workspaceId);
  if (match === null) throw new pulumi.RunError(`"${workspaceId}" is not the resource id of an Azure ML workspace`);
  const [, subscription = "", group = "", workspace = ""] = match;
  return `azureml://subscriptions/${subscription}/resourcegroups/${group}/workspaces/${workspace}/datastores/${datastore}`;
}

/** What Azure ML is told of a release, or of a model in one. */
interface Registration {
  readonly releaseId: string;
  /** Name of the model in Azure ML. */
  readonly model: string;
  readonly modelType: "triton_model" | "custom_model";
  /** Folder in the container. */
  readonly path: string;
  readonly description: string;
  readonly tags: Record<string, string>;
  /** Azure ML never changes these; tags may be edited. */
  readonly properties: Record<string, string>;
}

const repositoryVersion = ({ id, sizeBytes, models }: Release): Registration => ({
  releaseId: id,
  model: repositoryModel,
  modelType: "triton_model",
  path: releasePath(id),
  description: `Release ${id}: ${models.map(({ name }) => name).join(", ")}.`,
  tags: {},
  properties: { sizeBytes: String(sizeBytes), models: models.map(({ name }) => name).join(",") },
});

const modelVersion = (releaseId: string, model: Release["models"][number]): Registration => ({
  releaseId,
  model: azureMlModelName(model.name),
  modelType: "custom_model",
  path: `${releasePath(releaseId)}/${model.name}`,
  description: model.description ?? `Model ${model.name} of release ${releaseId}.`,
  tags: model.tags,
  properties: {
    model: model.name,
    versions: model.versions.join(","),
    ...(model.platform !== undefined && { platform: model.platform }),
    ...(model.backend !== undefined && { backend: model.backend }),
  },
});

const containerDescription = (model: string): string =>
  model === repositoryModel
    ? "Model releases: Triton repositories, one a version."
    : `Model ${model}, one version a release.`;

function refuseReservedName(releases: readonly Release[]): void {
  for (const { id, models } of releases) {
    const taken = models.find(({ name }) => registryIdentity(name) === repositoryModel);
    if (taken !== undefined) {
      throw new pulumi.RunError(
        `releases: model ${taken.name} of release ${id} has the name that stands for whole releases in Azure ML; rename it`,
      );
    }
  }
}
