/** Name of the blob container that holds the model releases, in every region's account. */
export const modelContainer = "model-repository";

/** Path of a release inside the container: the root of a Triton model repository. */
export const releasePath = (releaseId: string): string => `releases/${releaseId}`;

/**
 * Triton's address of a folder in Blob Storage, `as://<account>/<container>[/<path>]`. It must be the parent of the model
 * folders, never one model's folder. Slashes around the path are dropped: Triton takes `//` inside for an empty folder name.
 */
export function modelRepositoryUrl(account: string, container: string, path = ""): string {
  const folders = path.split("/").filter((folder) => folder !== "");
  return `as://${[account, container, ...folders].join("/")}`;
}
