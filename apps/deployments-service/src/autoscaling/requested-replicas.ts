import { type ReplicaRange, type RequestedReplicas, TARGET_PERCENT } from '@slipway/contracts';

/** Replicas of a deployment as they are stored: how many it should have now, and where its load decides that. */
export interface Replicas {
  readonly count: number;
  /** Null = the number is fixed. */
  readonly range: ReplicaRange | null;
}

/** Their columns in a row of a deployment. */
interface ReplicaColumns {
  readonly replicas: number;
  readonly replicasMin: number | null;
  readonly replicasMax: number | null;
  readonly targetPercent: number | null;
}

/** Replicas as an owner requests them. @param before how many there are; within a range as many stay, and a new one starts with the least */
export function replicasOf(requested: RequestedReplicas, before: number | null): Replicas {
  if (typeof requested === 'number') return { count: requested, range: null };
  const { min, max, target_percent = TARGET_PERCENT } = requested;
  return { count: Math.min(max, Math.max(min, before ?? min)), range: { min, max, target_percent } };
}

/** The number of them that counts against quotas and bounds: the most that there may be. */
export const mostOf = ({ count, range }: Replicas): number => range?.max ?? count;

/** What history and audit log say of them. */
export const replicaFacts = ({ count, range }: Replicas): Record<string, number> => ({ replicas: count, ...range });

/** The columns that hold them. */
export const replicaColumns = ({ count, range }: Replicas): ReplicaColumns => ({
  replicas: count,
  replicasMin: range?.min ?? null,
  replicasMax: range?.max ?? null,
  targetPercent: range?.target_percent ?? null,
});

/** The range in these columns; null = the number is fixed. */
export function rangeIn({ replicasMin: min, replicasMax: max, targetPercent }: Omit<ReplicaColumns, 'replicas'>): ReplicaRange | null {
  return min === null || max === null || targetPercent === null ? null : { min, max, target_percent: targetPercent };
}
