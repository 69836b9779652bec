/** Release of the Triton container that the program deploys unless told otherwise (NVIDIA's monthly `yy.mm`). */
export const defaultTritonTag = "26.07-py3";

/** First release whose Azure client understands `AZURE_STORAGE_AUTH_TYPE` (triton-inference-server/core change 468). */
export const firstKeylessRelease = "26.05";

/** The monthly release of a Triton image tag: `26.07-py3` gives `26.07`. Undefined for a tag of another form. */
export const tritonRelease = (tag: string): string | undefined => /^(\d{2}\.\d{2})(?:-|$)/.exec(tag)?.[1];

/**
 * Whether the image can read Blob Storage without an account key. An image older than 26.05 ignores the setting and reads
 * anonymously, which fails only at run time. Undefined when the tag does not tell (an image of one's own).
 */
export function readsBlobWithoutKey(tag: string): boolean | undefined {
  const release = tritonRelease(tag);
  return release === undefined ? undefined : release >= firstKeylessRelease;
}
