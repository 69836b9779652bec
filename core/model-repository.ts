/** Name of the blob container that holds the model releases, in every region's account. */
export const modelContainer = "model-repository";

/**
 * Tag of a storage account that Triton reads by account key. It is how policies know that the stack chose so, and anybody
 * who finds an account with keys in the portal.
 */
export const accountKeyTag = { name: "model-store-auth", value: "account-key" } as const;

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
