import type { DeploymentView } from '@slipway/contracts';
import type { DeploymentDraft, replicasIn } from './deployment-draft.js';

type ReplicaDraft = Pick<DeploymentDraft, 'replicas' | 'maxReplicas' | 'targetPercent'>;

/** The stored replicas of a deployment, to be changed. */
export function draftOfReplicas({ replicas, replica_range: range }: Pick<DeploymentView, 'replicas' | 'replica_range'>): ReplicaDraft {
  if (!range) return { replicas: String(replicas), maxReplicas: '', targetPercent: '' };
  return { replicas: String(range.min), maxReplicas: String(range.max), targetPercent: String(range.target_percent) };
}

/** Replicas in a few words: `3`, or `1–4, target 70 %`. */
export function replicasWords(replicas: ReturnType<typeof replicasIn>): string | null {
  if (replicas === null || typeof replicas === 'number') return replicas === null ? null : String(replicas);
  return `${replicas.min}–${replicas.max}, target ${replicas.target_percent} %`;
}

/** How many replicas are ready, and of how many: `2 of 3 ready`, or `2 of 1–4 ready, target 70 %`. */
export function readyWords({ ready_replicas: ready, replicas, replica_range: range }: DeploymentView): string {
  return range ? `${ready} of ${range.min}–${range.max} ready, target ${range.target_percent} %` : `${ready} of ${replicas} ready`;
}
