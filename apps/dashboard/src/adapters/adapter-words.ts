import type { AdapterView, GateCheck, Verdict } from '@slipway/contracts';
import { formatPercent } from '../format/number.js';
import type { StatusLook } from '../ui/status.js';

interface VerdictWords {
  readonly text: string;
  readonly look: StatusLook;
}

/** A verdict in a word. `warn` when it is bad: the adapter works, but it is not better. */
export function verdictWords(verdict: Verdict | null): VerdictWords {
  if (verdict === null) return { text: 'Not judged', look: 'plain' };
  if (verdict.passed) return { text: 'Passed', look: 'good' };
  return isWaiting(verdict) ? { text: 'Waits for an evaluation', look: 'plain' } : { text: 'Not passed', look: 'warn' };
}

/** Nothing failed, but a suite that is its gate was not run: it can be deployed, and no alias may point at it yet. */
const isWaiting = ({ passed, checks }: Verdict): boolean =>
  !passed && checks.some((one) => one.check === 'suite' && one.passed === null) && checks.every((one) => one.passed !== false);

/** Whether only an owner may deploy it, for a reason. */
export const needsReason = (verdict: Verdict | null | undefined): boolean => verdict?.passed === false && !isWaiting(verdict);

const CHECKS: Readonly<Record<string, string>> = {
  held_loss: 'Loss on held-out examples',
  preferred: 'Preferred answers, of 100',
  degenerate: 'Degenerate answers',
  keep_set: 'Keep set',
  no_effect: 'Effect on answers',
  suite: 'Evaluation suite',
};

/** A check in words. One of a later release shows its own name. */
export const checkName = (check: string): string => CHECKS[check] ?? check.replaceAll('_', ' ');

/** How a check ended. */
export function checkWords({ passed }: Pick<GateCheck, 'passed'>): VerdictWords {
  if (passed === null) return { text: 'Not made', look: 'plain' };
  return passed ? { text: 'Passed', look: 'good' } : { text: 'Not passed', look: 'bad' };
}

/** A figure of a check with the digits that say something. */
export function checkFigure(check: string, value: number | null): string {
  if (value === null) return '–';
  if (check === 'keep_set' && value >= 0 && value <= 1) return formatPercent(value);
  return Number.isInteger(value) ? String(value) : String(Number(value.toPrecision(4)));
}

/** Name and version of an adapter: `support v2`. */
export const adapterName = ({ name, version }: Pick<AdapterView, 'name' | 'version'>): string => `${name} v${version}`;

/** A piece of an answer: the same on both sides, or on one alone. */
export interface DiffPiece {
  readonly text: string;
  readonly isChanged: boolean;
}

/** Answers of more words are shown without marks: comparing them takes too long. */
const WORDS_MAX = 600;

/** Two answers with the words marked that the other one does not have at this place. */
export function diffAnswers(base: string, adapter: string): readonly [readonly DiffPiece[], readonly DiffPiece[]] {
  const [a, b] = [wordsOf(base), wordsOf(adapter)];
  if (a.length > WORDS_MAX || b.length > WORDS_MAX) return [[{ text: base, isChanged: false }], [{ text: adapter, isChanged: false }]];
  const [keptA, keptB] = commonWords(a, b);
  return [piecesOf(a, keptA), piecesOf(b, keptB)];
}

/** Words with the space behind them. */
const wordsOf = (text: string): readonly string[] => text.match(/\S+\s*|^\s+/g) ?? [];

/** Which words of both are in their longest common sequence. */
function commonWords(a: readonly string[], b: readonly string[]): readonly [ReadonlySet<number>, ReadonlySet<number>] {
  const isSame = (i: number, j: number): boolean => a[i]?.trimEnd() === b[j]?.trimEnd();
  // lengths[i][j]: longest common sequence of a from i and b from j.
  const lengths = Array.from({ length: a.length + 1 }, () => new Uint16Array(b.length + 1));
  const at = (i: number, j: number): number => lengths[i]?.[j] ?? 0;
  for (let i = a.length - 1; i >= 0; i -= 1)
    for (let j = b.length - 1; j >= 0; j -= 1)
      (lengths[i] as Uint16Array)[j] = isSame(i, j) ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
  const [keptA, keptB] = [new Set<number>(), new Set<number>()];
  for (let i = 0, j = 0; i < a.length && j < b.length;) {
    if (isSame(i, j)) {
      keptA.add(i++);
      keptB.add(j++);
    } else if (at(i + 1, j) >= at(i, j + 1)) i += 1;
    else j += 1;
  }
  return [keptA, keptB];
}

function piecesOf(words: readonly string[], kept: ReadonlySet<number>): readonly DiffPiece[] {
  const pieces: DiffPiece[] = [];
  for (const [at, text] of words.entries()) {
    const isChanged = !kept.has(at);
    const last = pieces.at(-1);
    if (last?.isChanged === isChanged) pieces[pieces.length - 1] = { text: last.text + text, isChanged };
    else pieces.push({ text, isChanged });
  }
  return pieces;
}
