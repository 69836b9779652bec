import { gunzipSync, gzipSync } from "node:zlib";
import { type ClusterApi, ClusterError } from "./cluster-api";

export interface HelmRelease {
  readonly name: string;
  readonly namespace: string;
}

/** A revision of a release, as Helm keeps it: in a Secret of type `helm.sh/release.v1`. */
interface Revision {
  readonly metadata: {
    readonly name: string;
    readonly resourceVersion: string;
    readonly labels: { readonly version: string; readonly status: string };
  };
  /** Base64 of Base64 of gzipped JSON. */
  readonly data: { readonly release: string };
}

/** What Helm does not go on from: it takes such a revision for the work of somebody else who is still at it. */
const isPending = ({ metadata }: Revision): boolean => metadata.labels.status.startsWith("pending-");

/**
 * Ends what a killed run left: revisions that are pending for ever, because the run died before it could write down how
 * they went. They are marked as failed, as Helm itself does it with a failure that it lives to see; with that the next
 * installation or upgrade goes on from the last revision that was deployed. Other revisions stay as they are.
 *
 * Nobody is at work on a pending revision: the stack's lock keeps a second run away.
 *
 * @returns numbers of the revisions that it ended
 * @throws ClusterError when the cluster cannot be asked, or the release is changing at this moment
 */
export async function endInterrupted(api: ClusterApi, release: HelmRelease): Promise<number[]> {
  const pending = (await history(api, release)).filter(isPending);
  for (const record of pending) await markFailed(api, release, record);
  return pending.map(revision);
}

/**
 * Refuses an installation over a release that serves but that the stack does not know, as after a lost state. Helm would
 * refuse it as well, without a way out.
 *
 * @throws ClusterError that says how to take the release over
 */
export async function refuseUnknown(api: ClusterApi, release: HelmRelease, resourceName: string): Promise<void> {
  const newest = (await history(api, release)).at(-1);
  if (newest?.metadata.labels.status !== "deployed") return;
  const { name, namespace } = release;
  throw new ClusterError(
    `Helm has a release ${name} in namespace ${namespace} that this stack does not know. Take it over with ` +
      `\`pulumi import kubernetes:helm.sh/v3:Release ${resourceName} ${namespace}/${name}\`, ` +
      `or remove it with \`helm uninstall ${name} --namespace ${namespace}\``,
  );
}

/** All revisions, the newest last. */
async function history(api: ClusterApi, { name, namespace }: HelmRelease): Promise<Revision[]> {
  const { items } = await api.get<{ items: Revision[] }>(`/api/v1/namespaces/${namespace}/secrets`, {
    labelSelector: `owner=helm,name=${name}`,
  });
  return items.sort((a, b) => revision(a) - revision(b));
}

const revision = ({ metadata }: Revision): number => Number(metadata.labels.version);

/** The resource version makes the API server refuse the change when somebody else was faster. */
async function markFailed(api: ClusterApi, { name, namespace }: HelmRelease, record: Revision): Promise<void> {
  try {
    await api.patch(`/api/v1/namespaces/${namespace}/secrets/${record.metadata.name}`, {
      metadata: {
        resourceVersion: record.metadata.resourceVersion,
        labels: { status: "failed", modifiedAt: String(Math.floor(Date.now() / 1000)) },
      },
      data: { release: withStatusFailed(record.data.release) },
    });
  } catch (error) {
    if (!(error instanceof ClusterError) || error.status !== 409) throw error;
    throw new ClusterError(
      `Helm's release ${name} in namespace ${namespace} is being changed by somebody else; run again when that is over`,
      409,
    );
  }
}

function withStatusFailed(data: string): string {
  const text = gunzipSync(Buffer.from(Buffer.from(data, "base64").toString("latin1"), "base64")).toString("utf8");
  const release = JSON.parse(text) as { info: object };
  const info = { ...release.info, status: "failed", description: "The run that made this revision was interrupted" };
  // eslint-disable-next-line no-restricted-syntax -- plain data, as Helm keeps it
  const json = JSON.stringify({ ...release, info });
  return Buffer.from(gzipSync(json).toString("base64"), "latin1").toString("base64");
}
