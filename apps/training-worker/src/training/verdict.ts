import type { AnswerPair, GateCheck, GateSettings, Verdict } from '@slipway/contracts';
import type { AdapterScorer } from '../scoring.js';
import { answersTo, type JudgedAnswer } from './example-scores.js';
import { LEARN_ANSWERS, type Objective } from './objective.js';
import type { PreparedExample } from './prepared-example.js';

/** Percentage points that the keep set may lose. */
const KEEP_POINTS = 3;
const PAIRS_MAX = 200;
const TEXT_MAX = 4_000;

/** What an adapter is judged by. */
export interface VerdictInput {
  readonly base: AdapterScorer;
  readonly adapter: AdapterScorer;
  /** For the loss; empty = nothing is held out. */
  readonly held: readonly PreparedExample[];
  /** What the loss is of; absent = of answers. */
  readonly objective?: Objective;
  /** For answers. */
  readonly judged: readonly PreparedExample[];
  /** Conversations that must not change; null = none are known. */
  readonly kept: readonly PreparedExample[] | null;
  /** Distance of the witness, and the least one that shows an effect. */
  readonly distance: number;
  readonly leastDistance: number;
  readonly gate: GateSettings;
  readonly signal: AbortSignal;
}

/** Judges an adapter beside its base, and gives the answers of both, the worst first. */
export async function judge(input: VerdictInput): Promise<{ verdict: Verdict; pairs: AnswerPair[] }> {
  const { base, adapter, judged, kept, gate, signal } = input;
  const answers = await bothAnswers(base, adapter, judged, signal);
  const keptAnswers = kept && (await bothAnswers(base, adapter, kept, signal));
  const checks = [
    effect(input),
    ...(gate.held_loss === false ? [] : await heldLoss(input)),
    ...(gate.degenerate === false ? [] : [degenerate(answers)]),
    ...(gate.keep_points === null ? [] : [keepSet(keptAnswers, gate.keep_points ?? KEEP_POINTS)]),
  ];
  const pairs = [...pairsOf(judged, answers, false), ...pairsOf(kept ?? [], keptAnswers ?? [], true)];
  const sorted = pairs.toSorted((a, b) => b.badness - a.badness).slice(0, PAIRS_MAX);
  return { verdict: { passed: checks.every(({ passed }) => passed !== false), checks }, pairs: sorted.map(({ pair }) => pair) };
}

interface Both {
  readonly base: JudgedAnswer;
  readonly adapter: JudgedAnswer;
}

async function bothAnswers(
  base: AdapterScorer,
  adapter: AdapterScorer,
  examples: readonly PreparedExample[],
  signal: AbortSignal,
): Promise<Both[]> {
  const before = await answersTo(base, examples, signal);
  const after = await answersTo(adapter, examples, signal);
  return after.flatMap((answer, i) => (before[i] ? [{ base: before[i], adapter: answer }] : []));
}

function effect({ distance, leastDistance }: VerdictInput): GateCheck {
  const detail = 'How far the adapter moves the probabilities of its answers from the base.';
  return { check: 'no_effect', passed: distance >= leastDistance, base: 0, adapter: distance, bound: leastDistance, examples: 8, detail };
}

/** The loss, and of preferences how many are had. */
async function heldLoss({ base, adapter, held, judged, objective = LEARN_ANSWERS, signal }: VerdictInput): Promise<GateCheck[]> {
  const [before, after] = [await objective.measure(base, held, signal), await objective.measure(adapter, held, signal)];
  if (before.preferred === null) return [lossCheck(before.loss, after.loss, held.length)];
  // Of pairs that were learned it says as much as their answers do, which are judged, too.
  const pairs = held.length > 0 ? held : judged;
  const [had, has] =
    held.length > 0 ? [before, after] : [await objective.measure(base, judged, signal), await objective.measure(adapter, judged, signal)];
  return [lossCheck(before.loss, after.loss, held.length), preferenceCheck(had.preferred ?? 0, has.preferred ?? 0, pairs.length)];
}

function preferenceCheck(before: number, after: number, examples: number): GateCheck {
  const share = (count: number): number => (examples === 0 ? 0 : (100 * count) / examples);
  const detail = 'Of 100 pairs those whose chosen answer is likelier than the rejected one, which must be more than with the base, or all.';
  const passed = examples === 0 ? null : after > before || after === examples;
  return { check: 'preferred', passed, base: share(before), adapter: share(after), bound: share(before), examples, detail };
}

function lossCheck(before: number | null, after: number | null, examples: number): GateCheck {
  const isKnown = before !== null && after !== null;
  const detail = isKnown ? 'Loss on held-out examples, which must be below that of the base.' : 'No examples were held out.';
  const passed = isKnown ? after < before : null;
  return { check: 'held_loss', passed, base: before, adapter: after, bound: before, examples, detail };
}

/** Answers to the keep set do not count here: one that loops is a wrong one there. */
function degenerate(all: readonly Both[]): GateCheck {
  const before = all.filter(({ base }) => base.degenerate).length;
  // What the base does already is no fault of the adapter.
  const after = all.filter(({ base, adapter }) => adapter.degenerate && !base.degenerate).length;
  const detail = 'Answers that repeat themselves or do not end, where those of the base do not.';
  return {
    check: 'degenerate',
    passed: all.length === 0 ? null : after === 0,
    base: before,
    adapter: after,
    bound: 0,
    examples: all.length,
    detail,
  };
}

function keepSet(kept: readonly Both[] | null, points: number): GateCheck {
  const check = 'keep_set';
  if (!kept || kept.length === 0) {
    const detail = 'There is no keep set: nobody knows what the adapter forgot.';
    return { check, passed: null, base: null, adapter: null, bound: null, examples: 0, detail };
  }
  const share = (side: 'base' | 'adapter'): number => (100 * kept.filter((answers) => answers[side].right).length) / kept.length;
  const [before, after] = [share('base'), share('adapter')];
  const detail = `Right answers of 100 to the conversations that must not change; at most ${points} fewer than the base.`;
  return { check, passed: before - after <= points, base: before, adapter: after, bound: before - points, examples: kept.length, detail };
}

function pairsOf(examples: readonly PreparedExample[], answers: readonly Both[], keep: boolean): { pair: AnswerPair; badness: number }[] {
  return answers.map(({ base, adapter }, i) => {
    const { asked = '', expected = '' } = examples[i] ?? {};
    const pair = {
      prompt: asked.slice(0, TEXT_MAX),
      expected: expected.slice(0, TEXT_MAX),
      base: base.text.slice(0, TEXT_MAX),
      adapter: adapter.text.slice(0, TEXT_MAX),
      degenerate: adapter.degenerate,
      keep,
    };
    const lost = base.right && !adapter.right ? 2 : Number(!adapter.right);
    return { pair, badness: adapter.degenerate ? 3 : lost };
  });
}
