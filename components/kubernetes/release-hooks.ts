import * as pulumi from "@pulumi/pulumi";
import { type ClusterApi, openCluster } from "./cluster-api";
import { diagnose } from "./release-diagnosis";
import { endInterrupted, type HelmRelease, refuseUnknown } from "./release-repair";
import { untilServing, watchPods } from "./release-wait";

export interface ReleaseHooksArgs {
  /** Release whose chart makes one Deployment of the same name. */
  readonly release: HelmRelease;
  /** Secret. */
  readonly kubeconfig: pulumi.Input<string>;
  /** Seconds that the first pod of a roll-out may take. */
  readonly deadlineSeconds: number;
}

/**
 * What Helm and Pulumi's provider leave to be done around a release. It runs in the program's process during `pulumi up`,
 * never in a preview, and asks the cluster by the kubeconfig.
 *
 * - before: revisions that a killed run left pending are ended, or Helm would refuse every further run;
 * - meanwhile: what breaks a pod is told when it happens, not when the time for the whole roll-out is over;
 * - after: waits for a first pod that serves, as Helm waits for none where one pod may be missing and there is one;
 * - on failure: shows the failing pod's own message. The provider reports "context deadline exceeded" and no more.
 */
export function releaseHooks(name: string, args: ReleaseHooksArgs): pulumi.ResourceHookBinding {
  const { release, deadlineSeconds } = args;
  const title = `Helm release ${release.namespace}/${release.name}`;
  const open = async (): Promise<ClusterApi> => openCluster(await resolved(args.kubeconfig));
  let endWatch = () => {};

  const before = (check?: (api: ClusterApi, hook: pulumi.ResourceHookArgs) => Promise<void>) =>
    named(`${title} cannot be prepared`, async (hook: pulumi.ResourceHookArgs) => {
      const api = await open();
      const ended = await endInterrupted(api, release);
      if (ended.length > 0) await pulumi.log.warn(`${title}: ${interrupted(ended)}`);
      await check?.(api, hook);
      endWatch = watchPods(open, release, (message) => {
        void pulumi.log.warn(`${title} is being waited for, but:\n${message}`);
      });
    });
  const after = named(`${title} does not serve`, async () => {
    endWatch();
    await untilServing(open, release, deadlineSeconds);
  });

  return {
    beforeCreate: [before((api, hook) => refuseUnknown(api, release, hook.name))],
    beforeUpdate: [before()],
    afterCreate: [after],
    afterUpdate: [after],
    onError: [
      new pulumi.ErrorHook(`${name}-diagnosis`, async ({ failedOperation }) => {
        endWatch();
        if (failedOperation !== "delete") await pulumi.log.error(`${title}: ${await explanation(open, release)}`);
        return false;
      }),
    ],
  };
}

const interrupted = (revisions: readonly number[]): string =>
  `a former run was interrupted and left revision ${revisions.join(", ")} pending; it is marked as failed now`;

/** Never throws: what made the release fail is Pulumi's to report, whatever becomes of the look at the pods. */
async function explanation(open: () => Promise<ClusterApi>, release: HelmRelease): Promise<string> {
  try {
    return (await diagnose(await open(), release)) ?? "no pod of it fails; see Helm's own message";
  } catch (error) {
    return `its pods cannot be looked at, ${text(error)}`;
  }
}

/** The hook with errors that say what it was at. */
const named =
  (what: string, hook: pulumi.ResourceHookFunction): pulumi.ResourceHookFunction =>
  async (args) => {
    try {
      await hook(args);
    } catch (error) {
      throw new Error(`${what}: ${text(error)}`, { cause: error });
    }
  };

const text = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** The value of an input. Hooks run after all that their resource depends on, so it is there. */
const resolved = (input: pulumi.Input<string>): Promise<string> =>
  new Promise((resolve) => {
    pulumi.output(input).apply(resolve);
  });
