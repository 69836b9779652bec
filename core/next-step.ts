import { modelContainer, releasePath } from "./model-repository";

/** How far a region is. */
export interface RegionProgress {
  readonly resourceGroup: string;
  readonly cluster: string;
  /** Storage account of the region's model store. */
  readonly account: string;
  /** Kubernetes namespace of Triton; undefined while the region does not serve. */
  readonly tritonNamespace: string | undefined;
}

export interface ReleaseState {
  /** The releases that the stack file records. */
  readonly releases: readonly { readonly id: string }[];
  /** The one that it names. */
  readonly release: { readonly id: string } | undefined;
}

/** What to run after `pulumi up`: publishing needs the container that `up` creates, and Triton needs a published release. */
export function nextStep(
  stack: string,
  { releases, release }: ReleaseState,
  regions: readonly RegionProgress[],
): string {
  const file = `Pulumi.${stack}.yaml`;
  if (releases.length === 0) {
    const uploads = regions.map(
      ({ account }) =>
        `az storage blob upload-batch --auth-mode login --account-name ${account} ` +
        `--destination ${modelContainer}/${releasePath("r1")} --source ./models`,
    );
    return [
      ...uploads,
      `record release r1 under triton-azure:releases in ${file} and name it in triton-azure:release`,
      "pulumi up",
    ].join("\n");
  }
  if (release === undefined) {
    return `name one of ${releases.map(({ id }) => id).join(", ")} in triton-azure:release of ${file}\npulumi up`;
  }
  const serving = regions.find(({ tritonNamespace }) => tritonNamespace !== undefined);
  if (serving === undefined) {
    return `bring release ${release.id} to each region's account and set \`serving: true\` there in ${file}\npulumi up`;
  }
  return [
    `az aks get-credentials --resource-group ${serving.resourceGroup} --name ${serving.cluster}`,
    `kubectl --namespace ${serving.tritonNamespace} port-forward service/triton 8000`,
    "curl --fail http://localhost:8000/v2/health/ready",
  ].join("\n");
}
