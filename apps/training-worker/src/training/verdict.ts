import type { AnswerPair, GateCheck, GateSettings, Verdict } from '@slipway/contracts';
import type { AdapterScorer } from '../scoring.js';
import { answersTo, type JudgedAnswer, meanLoss } from './example-scores.js';
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
    ...(gate.held_loss === false ? [] : [await heldLoss(input)]),
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

async function heldLoss({ base, adapter, held, signal }: VerdictInput): Promise<GateCheck> {
  const before = await meanLoss(base, held, signal);
  const after = await meanLoss(adapter, held, signal);
  const isKnown = before !== null && after !== null;
  const detail = isKnown ? 'Loss on held-out examples, which must be below that of the base.' : 'No examples were held out.';
  const passed = isKnown ? after < before : null;
  return { check: 'held_loss', passed, base: before, adapter: after, bound: before, examples: held.length, detail };
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
