import { z } from 'zod';

/** Most replicas of a deployment. */
const REPLICAS_MAX = 64;
/** Target of a range that names none, in percent. */
export const TARGET_PERCENT = 70;

const NOT_ZERO = 'A deployment keeps at least one replica; stop it to free what it takes.';

const Min = z.int().min(1, NOT_ZERO).max(REPLICAS_MAX);
const Max = z.int().min(1, NOT_ZERO).max(REPLICAS_MAX);
/** Share of the slots of all replicas that requests should take, waiting ones included, in percent. */
const TargetPercent = z.int().min(10).max(100);

const RequestedRange = z
  .object({ min: Min, max: Max, target_percent: TargetPercent.optional() })
  .refine(({ min, max }) => min <= max, { path: ['max'], message: 'The most replicas are fewer than the least.' });

/**
 * Replicas of a deployment: a number, or a range within which deployments-service moves it by the load. Services of before 2027
 * refuse a range.
 */
export const RequestedReplicas = z.union([z.int().min(1).max(REPLICAS_MAX), RequestedRange]);
export type RequestedReplicas = z.infer<typeof RequestedReplicas>;

/** The range of a deployment that scales by its load. */
export const ReplicaRange = z.object({ min: z.int(), max: z.int(), target_percent: z.int() });
export type ReplicaRange = z.infer<typeof ReplicaRange>;
