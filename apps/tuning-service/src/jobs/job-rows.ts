import {
  type AccountId,
  type AdapterId,
  type DatasetId,
  type GateSettings,
  JOB_STATES,
  type JobDesired,
  type JobId,
  type JobState,
  type JobFollow,
  type JobView,
  type ResolvedSetting,
  type TrainerBase,
  type TrainingSettings,
  type TrainingSpec,
} from '@slipway/contracts';
import type { z } from 'zod';
import { type ActorColumns, changedBy } from '../actor-columns.js';

/** States of jobs that are over. */
export const ENDED: readonly JobState[] = ['succeeded', 'cancelled', 'failed'];
/** States of jobs that a worker has. */
export const PLACED: readonly JobState[] = ['starting', 'running', 'pausing', 'finishing', 'evaluating', 'cancelling'];
/** States of jobs that are not over. */
export const OPEN: readonly JobState[] = JOB_STATES.filter((state) => !ENDED.includes(state));

/** A row of `job`, with numbers in place of the driver's texts. */
export interface JobRow extends ActorColumns {
  readonly id: JobId;
  readonly account: AccountId;
  readonly name: string;
  readonly base: string;
  readonly base_facts: TrainerBase;
  readonly dataset_id: DatasetId;
  readonly dataset_name: string;
  readonly version: number;
  readonly keep_version: number | null;
  readonly keep_name: string | null;
  readonly trainer: string;
  readonly given: TrainingSettings;
  readonly resolved: ResolvedSetting[];
  readonly spec: TrainingSpec;
  readonly gate: GateSettings;
  readonly follow: JobFollow;
  readonly priority: number;
  readonly desired: JobDesired;
  readonly keep: boolean;
  readonly state: JobState;
  readonly reason: string | null;
  readonly detail: string | null;
  readonly attempt: number;
  readonly worker: string | null;
  readonly slot: string | null;
  readonly host: string | null;
  readonly losses: number;
  readonly progress: number | null;
  readonly step: number;
  readonly steps: number | null;
  readonly epoch: number | null;
  readonly loss: number | null;
  readonly held_loss: number | null;
  readonly steps_per_s: number | null;
  readonly learned_tokens: number | null;
  /** That it takes of its worker, as planned; null = unknown. */
  readonly memory_bytes: number | null;
  readonly device_seconds: number;
  readonly adapter_id: AdapterId | null;
  readonly passed: boolean | null;
  readonly source_job: JobId | null;
  readonly created_at: Date;
  readonly queued_at: Date | null;
  readonly placed_at: Date | null;
  readonly started_at: Date | null;
  readonly paused_at: Date | null;
  readonly finished_at: Date | null;
  /** Step of its best checkpoint; null without one. */
  readonly best_step: number | null;
  /** Of its version of the data set. */
  readonly data_bytes: number | null;
  /** Step of its newest checkpoint; null without one. */
  readonly newest_step: number | null;
}

const PLAIN = [
  ...['id', 'account', 'name', 'base', 'base_facts', 'dataset_id', 'dataset_name', 'version', 'keep_version', 'trainer', 'given'],
  ...['resolved', 'spec', 'gate', 'follow', 'priority', 'desired', 'keep', 'state', 'reason', 'detail', 'attempt', 'worker', 'slot'],
  ...['host', 'losses', 'progress', 'step', 'steps', 'epoch', 'loss', 'held_loss', 'steps_per_s', 'device_seconds', 'adapter_id'],
  ...['passed', 'source_job', 'actor', 'actor_id', 'actor_name', 'created_at', 'queued_at', 'placed_at', 'started_at', 'paused_at'],
  'finished_at',
];

/** Order of checkpoints, the best first: no degenerate answers, then the lowest loss on held-out examples, then the newest. */
export const BEST_FIRST = `degenerate NULLS LAST, held_loss NULLS LAST, step DESC`;

/** Columns of a `JobRow`, of the table `j`. */
export const JOB_COLUMNS = `${PLAIN.map((name) => `j.${name}`).join(', ')}, j.learned_tokens::float8 AS learned_tokens, j.memory_bytes::float8 AS memory_bytes,
  (SELECT c.step FROM checkpoint c WHERE c.job_id = j.id ORDER BY ${BEST_FIRST} LIMIT 1) AS best_step,
  (SELECT max(c.step) FROM checkpoint c WHERE c.job_id = j.id) AS newest_step,
  (SELECT d.name FROM dataset d WHERE d.id = (j.gate->>'keep_dataset')::integer) AS keep_name,
  (SELECT v.bytes::float8 FROM dataset_version v WHERE v.dataset_id = j.dataset_id AND v.number = j.version) AS data_bytes`;

/** How much of the whole job is done; null = unknown. */
function progressOf({ state, progress, step, steps }: JobRow): number | null {
  if (state === 'succeeded') return 1;
  if (steps !== null && steps > 0 && step > 0) return Math.min(1, step / steps);
  return progress;
}

function etaOf({ state, step, steps, steps_per_s: pace }: JobRow): number | null {
  if (state === 'succeeded') return 0;
  if (state !== 'running' || steps === null || pace === null || pace <= 0) return null;
  return Math.ceil(Math.max(0, steps - step) / pace);
}

const iso = (date: Date | null): string | null => date && date.toISOString();

function keepSetOf({ gate, keep_version: version, keep_name: name }: JobRow): NonNullable<JobView['keep_set']> | null {
  if (gate.keep_dataset === undefined || version === null) return null;
  return { dataset: gate.keep_dataset, name: name ?? '', version };
}

/** A job as people see it. @param place its place in line, from 1 */
export const jobView = (row: JobRow, place: number | null): z.input<typeof JobView> => ({
  ...{ id: row.id, name: row.name, base: row.base, dataset: row.dataset_id, dataset_name: row.dataset_name, version: row.version },
  keep_set: keepSetOf(row),
  ...{ trainer: row.trainer, settings: row.resolved, given: row.given, gate: row.gate, priority: row.priority, desired: row.desired },
  follow: row.follow,
  ...{
    state: row.state,
    reason: row.reason as z.input<typeof JobView>['reason'],
    detail: row.detail,
    attempt: row.attempt,
    host: row.host,
    step: row.step,
    steps: row.steps,
  },
  place: row.state === 'queued' ? place : null,
  epoch: row.epoch,
  progress: progressOf(row),
  eta_s: etaOf(row),
  ...{ loss: row.loss, held_loss: row.held_loss, best_step: row.best_step, learned_tokens: row.learned_tokens },
  ...{ device_seconds: row.device_seconds, adapter: row.adapter_id, passed: row.passed, source_job: row.source_job },
  created_by: changedBy(row),
  created_at: row.created_at.toISOString(),
  started_at: iso(row.started_at),
  finished_at: iso(row.finished_at),
});
