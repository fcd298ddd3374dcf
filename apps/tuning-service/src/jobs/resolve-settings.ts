import { PLACES } from '@slipway/datasets';
import type { DatasetSplit } from '../datasets/datasets.repository.js';
import type { DatasetKind, MeasureView, ResolvedSetting, TrainerBase, TrainingSettings, TrainingSpec } from '@slipway/contracts';

/** What settings are resolved from. */
export interface ResolveFrom {
  readonly given: TrainingSettings;
  readonly trainer: string;
  readonly base: TrainerBase;
  readonly kind: DatasetKind;
  /** Examples of the version. */
  readonly examples: number;
  readonly duplicates: number;
  /** Bytes of the canonical file. */
  readonly bytes: number;
  /** Token counts under the base's template; null = not made yet. */
  readonly measure: MeasureView | null;
  readonly timeLimitS: number;
  /** The split of the data set; null = none is decided. */
  readonly split: DatasetSplit | null;
}

/** A warning about a job before it runs. */
export interface JobWarning {
  readonly code: string;
  readonly message: string;
}

/** Settings of a training, all of them, with their reasons. */
export interface Resolved {
  readonly spec: TrainingSpec;
  readonly settings: ResolvedSetting[];
  readonly heldOut: number;
  readonly leftOut: number;
  /** Examples that are learned. */
  readonly learned: number;
  readonly steps: number;
  /** Learned in all epochs. */
  readonly learnedTokens: number;
  readonly warnings: JobWarning[];
}

/** Defaults of a trainer. Of three the first is for fewer than 50 examples, the second for fewer than 500. */
interface Defaults {
  readonly rate: number;
  readonly why: string;
  readonly epochs: readonly [number, number, number];
  readonly batch: readonly [number, number, number];
}

const RANK = 16;
const EMBEDDED: Defaults = {
  ...{ rate: 1e-4, epochs: [8, 4, 2], batch: [1, 1, 1] },
  why: 'The best of four rates that were tried on the embedded trainer.',
};
const TORCH: Defaults = { rate: 2e-4, epochs: [5, 3, 2], batch: [1, 4, 16], why: 'The default of this trainer.' };
/** The bundled model learns nothing at the rate of larger ones. */
const TORCH_SMALL: Defaults = { ...TORCH, rate: 1e-3, epochs: [8, 4, 2], why: 'For bases of less than 100 million weights.' };
/** Answers are moved apart, not learned: a rate as for conversations spoils both. */
const PREFERENCES: Defaults = { ...TORCH, rate: 5e-5, epochs: [3, 2, 1], why: 'The default for preferences.' };
const PREFERENCES_SMALL: Defaults = { ...PREFERENCES, rate: 2e-4, why: TORCH_SMALL.why };
const SMALL_WEIGHTS = 100e6;
/** Of the paper that introduced the method. */
const BETA = 0.1;

function defaultsOf({ trainer, kind, base }: ResolveFrom): Defaults {
  if (trainer === 'embedded') return EMBEDDED;
  const isSmall = (base.parameters ?? Infinity) < SMALL_WEIGHTS;
  if (kind === 'preference') return isSmall ? PREFERENCES_SMALL : PREFERENCES;
  const defaults = isSmall ? TORCH_SMALL : TORCH;
  return trainer === 'torch' ? defaults : { ...defaults, batch: [1, 1, 1] };
}

/**
 * Held-out examples are at least and at most so many, unless a part was given. Of fewer than `from` examples none are: small sets
 * teach facts, and a wording of a fact that is held out is not learned (of 30 conversations with 5 held out, the question that was
 * asked most was answered with one word repeated).
 */
const HELD_OUT = { part: 0.1, least: 5, most: 500, from: 50 } as const;
/** Order of the examples, and the first weights of the adapter. */
const SEED = 1;
/** Rate above which the embedded trainer was seen to lose what the base knew. */
const RATE_MAX = 3e-4;
const RANK_SERVED = 16;
/** Characters of a token, where none were counted. */
const BYTES_PER_TOKEN = 4;
/** Part of a conversation's tokens that are learned, where none were counted. */
const LEARNED_PART = 0.5;

/** Resolves what was not given. Pure: the same input gives the same settings. */
export function resolveSettings(from: ResolveFrom): Resolved {
  const { given, base, kind, examples } = from;
  const defaults = defaultsOf(from);
  const chosen: ResolvedSetting[] = [];
  const choose = <T extends string | number | boolean>(name: string, value: T | undefined, otherwise: T, reason: string): T => {
    chosen.push({ name, value: value ?? otherwise, reason: value === undefined ? reason : 'Given.' });
    return value ?? otherwise;
  };
  const rank = choose('rank', given.rank, RANK, 'The default of this trainer; every engine serves it.');
  const alpha = choose('alpha', given.alpha, 2 * rank, 'Twice the rank.');
  const rate = choose('learning_rate', given.learning_rate, defaults.rate, defaults.why);
  const tier = [50, 500].filter((bound) => examples >= bound).length;
  const epochs = choose('epochs', given.epochs, defaults.epochs[tier] ?? 2, `For ${examples} examples.`);
  const [wanted, whyBatch] =
    from.trainer === 'embedded' ? [undefined, 'The embedded trainer takes one.'] : [given.batch, `For ${examples} examples.`];
  const batch = choose('batch', wanted, defaults.batch[tier] ?? 1, whyBatch);
  const beta = kind === 'preference' ? choose('beta', given.beta, BETA, 'The value of the paper on this method.') : undefined;
  const schedule = choose('schedule', given.schedule, 'cosine' as const, 'The default of this trainer.');
  const seed = choose('seed', given.seed, SEED, 'The same for every job, so that jobs can be compared.');
  const tooLong = choose('too_long', given.too_long, 'leave_out' as const, 'Examples longer than the context are left out.');
  const earlyStop = choose('early_stop', given.early_stop, true, 'Ends when the loss on held-out examples rises twice.');
  const part = choose('held_out', given.held_out, ...heldPart(from));
  const spared = given.held_out === undefined && part > 0 ? (from.split?.learned ?? []) : [];
  const { leftOut, heldOut, learned, tokens } = sharesOf(from, { part, spared: spared.length, leavesOut: tooLong === 'leave_out' });
  return {
    spec: {
      ...{ trainer: from.trainer, base: base.base, base_sha256: base.sha256, template_sha256: base.template_sha256 },
      method: kind === 'preference' ? 'dpo' : 'sft',
      ...{ rank, alpha, learning_rate: rate, epochs, schedule, seed, held_out: part, too_long: tooLong, early_stop: earlyStop },
      batch,
      ...(beta !== undefined && { beta }),
      ...(spared.length > 0 && { learned: [...spared] }),
      time_limit_s: from.timeLimitS,
    },
    settings: chosen,
    ...{ heldOut, leftOut, learned },
    steps: Math.ceil(learned / batch) * epochs,
    learnedTokens: Math.round(tokens * epochs),
    warnings: warningsOf(from, { rank, rate, heldOut, leftOut }),
  };
}

/** How the examples are divided, and the tokens that are learned of them in one epoch. */
function sharesOf(
  { examples, bytes, measure }: ResolveFrom,
  { part, spared, leavesOut }: { readonly part: number; readonly spared: number; readonly leavesOut: boolean },
): { readonly leftOut: number; readonly heldOut: number; readonly learned: number; readonly tokens: number } {
  const leftOut = leavesOut ? (measure?.over_context ?? 0) : 0;
  const unlearned = Math.round(Math.max(0, examples - leftOut - spared) * part);
  const learned = Math.max(0, examples - leftOut - unlearned);
  const perPass = measure?.learned_tokens ?? Math.round((bytes / BYTES_PER_TOKEN) * LEARNED_PART);
  const heldOut = Math.min(HELD_OUT.most, unlearned);
  return { leftOut, heldOut, learned, tokens: examples === 0 ? 0 : (perPass * learned) / examples };
}

/** The part that is held out, with its reason. What one version of a data set learns, no other holds out. */
function heldPart({ examples, split }: ResolveFrom): [part: number, reason: string] {
  if (split?.below === null || (split === null && examples < HELD_OUT.from))
    return [0, `All of fewer than ${HELD_OUT.from} prompts are learned.`];
  if (split !== null) return [Math.min(0.5, split.below / PLACES), 'The prompts that the first version of the data set held out.'];
  const wanted = Math.min(HELD_OUT.most, Math.max(HELD_OUT.least, Math.round(examples * HELD_OUT.part)));
  return [Math.min(0.5, Math.floor(Math.min(wanted, examples / 2)) / examples), 'A tenth, 5 to 500 examples.'];
}

function warningsOf(
  { examples, duplicates, measure, trainer }: ResolveFrom,
  { rank, rate, heldOut, leftOut }: { rank: number; rate: number; heldOut: number; leftOut: number },
): JobWarning[] {
  const all: (JobWarning | false)[] = [
    rank > RANK_SERVED && {
      code: 'rank_high',
      message: `Engines such as vLLM take adapters up to rank ${RANK_SERVED} unless they are told otherwise.`,
    },
    heldOut < HELD_OUT.least && {
      code: heldOut === 0 ? 'none_held_out' : 'few_held_out',
      message:
        heldOut === 0
          ? 'Nothing is held out: the answers show what was learned, not the loss.'
          : `Only ${heldOut} examples are held out, so the measured loss says little.`,
    },
    examples < 10 && { code: 'too_few', message: `${examples} examples. Below 10 a model mostly memorises.` },
    duplicates * 2 > examples && {
      code: 'repeats',
      message: 'More than half of the examples repeat others. Mix ordinary conversations in.',
    },
    trainer === 'embedded' &&
      rate > RATE_MAX && {
        code: 'rate_high',
        message: `Above a rate of ${RATE_MAX} the embedded trainer forgets much of what the base knew.`,
      },
    leftOut > 0 && { code: 'too_long', message: `${leftOut} examples are longer than the context and are left out.` },
    measure === null && { code: 'not_counted', message: 'Tokens are estimated from the size of the file until a worker has counted them.' },
  ];
  return all.filter((one) => one !== false);
}
