/** How a Deployment replaces its pods, in pods; exactly one of the two is zero. */
export interface Rollout {
  readonly maxSurge: number;
  readonly maxUnavailable: number;
  /** How many rounds of new pods it takes to replace all. */
  readonly waves: number;
}

/**
 * The roll-out that the GPU pools can hold.
 *
 * With room to spare the new pods come first and none of the old ones goes before, a quarter of them at a time (Kubernetes'
 * default share). Without room a surge pod would wait for ever for a GPU that an old pod holds, so one old pod goes first.
 *
 * @param replicas most pods there can be when a roll-out begins (the autoscaler's maximum)
 * @param slots pods of this size that the pools can hold at their maximum
 */
export function rolloutFor(replicas: number, slots: number): Rollout {
  const surge = Math.min(Math.ceil(replicas / 4), slots - replicas);
  return surge > 0
    ? { maxSurge: surge, maxUnavailable: 0, waves: Math.ceil(replicas / surge) }
    : { maxSurge: 0, maxUnavailable: 1, waves: replicas };
}
