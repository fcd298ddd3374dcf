import type { JobState, JobView } from '@slipway/contracts';
import { formatMs, formatPercent } from '../format/number.js';
import type { StatusLook } from '../ui/status.js';

interface StateWords {
  readonly text: string;
  readonly look: StatusLook;
}

/** States of a job as people read them. */
export const JOB_STATES: Readonly<Record<JobState, StateWords>> = {
  validating: { text: 'Checking', look: 'busy' },
  queued: { text: 'Queued', look: 'warn' },
  starting: { text: 'Starting', look: 'busy' },
  running: { text: 'Training', look: 'busy' },
  pausing: { text: 'Pausing', look: 'busy' },
  paused: { text: 'Paused', look: 'plain' },
  finishing: { text: 'Saving', look: 'busy' },
  evaluating: { text: 'Evaluating', look: 'busy' },
  succeeded: { text: 'Succeeded', look: 'good' },
  cancelling: { text: 'Cancelling', look: 'busy' },
  cancelled: { text: 'Cancelled', look: 'plain' },
  failed: { text: 'Failed', look: 'bad' },
};

interface ReasonWords {
  readonly text: string;
  /** What to do about it. */
  readonly advice: string;
}

const REASONS: Readonly<Record<string, ReasonWords>> = {
  no_trainer: {
    text: 'No connected worker can train this base.',
    advice: 'npx slipway trainers list shows what the workers have.',
  },
  no_slot: { text: 'Every slot is training.', advice: 'The job starts when one is free.' },
  no_memory: { text: 'No worker has enough free memory.', advice: 'Lower the rank, or wait until another job has ended.' },
  no_disk: { text: 'A worker has too little free disk.', advice: 'The operator needs to free some space.' },
  account_limit: { text: 'This account trains as many jobs as it may.', advice: 'The job starts when another one has ended.' },
  resumed: { text: 'Continued from a checkpoint.', advice: '' },
  dataset_invalid: { text: 'The version of the data set cannot be used.', advice: 'Repair the data set, then run the job again.' },
  base_not_trainable: { text: 'No trainer knows the architecture of this base.', advice: 'Choose another base.' },
  too_long: { text: 'Examples are longer than the base’s context.', advice: 'Leave them out or cut them in the settings.' },
  quota_exceeded: { text: 'The job is larger than the account’s quota.', advice: 'Lower the epochs, or ask the operator for more.' },
  template_mismatch: {
    text: 'The trainer renders the conversations differently than the served model.',
    advice: 'Nothing was trained. Report it to the operator with the log.',
  },
  weights_need_torch: {
    text: 'The embedded trainer cannot leave out single answers.',
    advice: 'Use the torch trainer, or remove “weight”: 0.',
  },
  diverged: { text: 'The loss grew instead of falling.', advice: 'Run again with a third of the learning rate.' },
  out_of_memory: { text: 'Training did not fit into memory.', advice: 'Lower the rank, or leave out the longest examples.' },
  base_changed: {
    text: 'The file of the base was changed or removed since the job was made.',
    advice: 'Make the job again, or have the operator put the same file back.',
  },
  adapter_mismatch: { text: 'The trainer saved an adapter that does not fit its base.', advice: 'Ask the operator for the trainer’s log.' },
  trainer_crashed: { text: 'The trainer ended unexpectedly.', advice: 'The log has its last lines.' },
  trainer_unavailable: { text: 'The trainer cannot run on any worker.', advice: 'The operator needs to install it again.' },
  worker_lost: { text: 'Workers were lost three times.', advice: 'Run the job again once the workers are stable.' },
  time_limit: { text: 'The job reached its time limit.', advice: 'Lower the epochs, or keep its best checkpoint.' },
  no_effect: { text: 'The adapter answers as the base does: nothing was learned.', advice: 'Raise the epochs or the learning rate.' },
  storage_failed: { text: 'The result could not be stored.', advice: 'Try again; the operator may need to look at the storage.' },
};

/** Why a job waits or failed, and what to do; null where nothing is wrong. */
export function reasonOf({ reason, detail }: Pick<JobView, 'reason' | 'detail'>): ReasonWords | null {
  if (reason === null) return detail === null ? null : { text: detail, advice: '' };
  const words = REASONS[reason] ?? { text: reason.replaceAll('_', ' '), advice: '' };
  return detail === null ? words : { ...words, text: detail };
}

const OVER: ReadonlySet<JobState> = new Set(['succeeded', 'cancelled', 'failed']);

/** Whether a job can change by itself no more. */
export const isOver = ({ state }: Pick<JobView, 'state'>): boolean => OVER.has(state);

/** State with place in line or progress: `Queued, 2nd in line`, `Training 41 %`. */
export function jobText({ state, place, progress }: Pick<JobView, 'state' | 'place' | 'progress'>): string {
  const { text } = JOB_STATES[state];
  if (state === 'queued' && place !== null) return `${text}, ${ordinal(place)} in line`;
  return progress !== null && (state === 'running' || state === 'starting') ? `${text} ${formatPercent(progress)}` : text;
}

const SUFFIXES: Readonly<Record<string, string>> = { one: 'st', two: 'nd', few: 'rd', other: 'th' };
const ordinals = new Intl.PluralRules('en', { type: 'ordinal' });
const ordinal = (n: number): string => `${n}${SUFFIXES[ordinals.select(n)]}`;

const WAITING: ReadonlySet<JobState> = new Set(['validating', 'queued', 'paused']);

/** Whether a job's place among others can still change. */
export const isWaiting = ({ state }: Pick<JobView, 'state'>): boolean => WAITING.has(state);

/** What can be done with a job now. */
export type JobAction = 'pause' | 'resume' | 'cancel' | 'again';

/** The actions that a job in this state takes. */
export function actionsOf({ state, desired }: Pick<JobView, 'state' | 'desired'>): readonly JobAction[] {
  if (OVER.has(state)) return ['again'];
  if (state === 'cancelling' || desired === 'cancel') return ['again'];
  if (state === 'paused' || desired === 'pause') return ['resume', 'cancel', 'again'];
  if (state === 'finishing' || state === 'evaluating') return ['cancel', 'again'];
  return ['pause', 'cancel', 'again'];
}

/** A length of time of a training: `14 s`, `3.2 min`, `5.1 h`. */
export function formatSeconds(seconds: number): string {
  if (seconds < 60) return `${Math.round(seconds)} s`;
  return seconds < 5_400 ? formatMs(seconds * 1_000) : `${(seconds / 3_600).toFixed(1)} h`;
}

/** Priorities of a job among the waiting jobs of its account, in words. */
export const PRIORITIES: readonly { readonly value: string; readonly label: string; readonly hint: string }[] = [
  { value: '1', label: 'High', hint: 'Before the other waiting jobs' },
  { value: '0', label: 'Normal', hint: 'In the order of creation' },
  { value: '-1', label: 'Low', hint: 'After the other waiting jobs' },
];

/** A priority in a word. */
export const priorityText = (priority: number): string => PRIORITIES.find(({ value }) => value === String(priority))?.label ?? 'Normal';

/** Names of settings as people read them. */
export const SETTING_NAMES: Readonly<Record<string, string>> = {
  rank: 'Rank',
  alpha: 'Alpha',
  learning_rate: 'Learning rate',
  epochs: 'Epochs',
  schedule: 'Schedule',
  seed: 'Seed',
  held_out: 'Held out',
  too_long: 'Examples that are too long',
  early_stop: 'Early stop',
  trainer: 'Trainer',
  method: 'Method',
  modules: 'Modules',
  batch: 'Examples of a step',
  beta: 'Beta',
};

/** Part of the examples that a job holds out, 0 to 1; undefined where it is not resolved yet. */
export function heldOutOf({ settings }: Pick<JobView, 'settings'>): number | undefined {
  const value = settings.find(({ name }) => name === 'held_out')?.value;
  return typeof value === 'number' ? value : undefined;
}

/** The value of a setting in words. */
export function settingText(name: string, value: string | number | boolean): string {
  if (typeof value === 'boolean') return value ? 'On' : 'Off';
  if (typeof value === 'string') return value.replaceAll('_', ' ');
  if (name === 'held_out') return `${Math.round(value * 1_000) / 10} %`;
  return value !== 0 && Math.abs(value) < 0.001 ? value.toExponential() : String(value);
}
