import { z } from 'zod';
import { AliasName, DeploymentId } from '../ids.js';
import { DesiredState, ObservedState, StateReason } from './deployment-state.js';
import { ModelSource } from './model-source.js';

/** A deployment as its owner sees it in lists. */
export const DeploymentView = z.object({
  id: DeploymentId,
  name: z.string(),
  aliases: z.array(AliasName),
  /** Of the newest revision. */
  source: ModelSource,
  desired: DesiredState,
  state: ObservedState,
  reason: StateReason.nullable(),
  /** What a person may read about `reason`. */
  detail: z.string().nullable(),
  /** Of what loads, 0 to 1; also while an older revision serves. */
  progress: z.number().min(0).max(1).nullable(),
  /** Newest revision. */
  rev: z.int().positive(),
  /**
   * Revision that new requests go to; below `rev` while an update is under way or has failed, null
   * before any was ready. Absent from replicas of before updates existed, where it is `rev`.
   */
  serving_rev: z.int().positive().nullable().optional(),
  replicas: z.int(),
  /** Replicas that answer, of the revision that serves. */
  ready_replicas: z.int(),
  /** Requests that one replica of the newest revision serves at once, as it is configured. Absent from older replicas. */
  slots: z.int().positive().optional(),
  /** Absent from older replicas. */
  created_at: z.iso.datetime().optional(),
});
export type DeploymentView = z.infer<typeof DeploymentView>;
