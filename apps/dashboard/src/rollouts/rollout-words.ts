import type { RolloutCheck, RolloutSide, RolloutView } from '@slipway/contracts';
import { formatCount, formatMs, formatRate } from '../format/number.js';
import type { StatusLook } from '../ui/status.js';

/** What the guard compares, for people; in the order of a form. */
export const CHECKS: Readonly<Record<RolloutCheck, string>> = {
  errors: 'Failed requests',
  cut: 'Answers cut at their token limit',
  first_token: 'Time to first token',
  answer_tokens: 'Length of answers',
};
/** The same as a list. */
export const CHECK_NAMES = Object.keys(CHECKS) as RolloutCheck[];

/** Words of a state, and how it looks. */
export const STATES: Readonly<Record<RolloutView['state'], readonly [StatusLook, string]>> = {
  running: ['busy', 'Running'],
  promoted: ['good', 'Promoted'],
  rolled_back: ['warn', 'Rolled back'],
};

const WAITS: Readonly<Record<string, string>> = {
  time: 'The next step follows when its time is over.',
  requests: 'The next step waits for more requests of the candidate.',
  figures: 'The next step waits for figures: the usage ledger does not answer.',
  suite: 'The next step waits for the evaluation by its suite.',
  person: 'Steps are taken by hand.',
};

/** How a state of a rollout's suite looks, and its word. */
const SUITE_STATES: Readonly<Record<string, readonly [StatusLook, string]>> = {
  waiting: ['warn', 'Waiting'],
  running: ['busy', 'Running'],
  passed: ['good', 'Passed'],
  worse: ['bad', 'Worse'],
  failed: ['warn', 'No result'],
};

const POINTS = new Intl.NumberFormat('en', { maximumFractionDigits: 1, signDisplay: 'exceptZero' });

type RolloutSuite = NonNullable<RolloutView['suite']>;

/** The state of a rollout's suite, with its progress while it runs. */
export function suiteState({ state, done, total }: Pick<RolloutSuite, 'state' | 'done' | 'total'>): readonly [StatusLook, string] {
  const [look, word] = SUITE_STATES[state] ?? ['plain', state];
  return [look, state === 'running' ? `${word}, ${formatCount(done)} of ${formatCount(total)}` : word];
}

/** What a grader says of the candidate, with its 95 % interval. */
export function suiteFigure({ unit, value, low, high, items }: RolloutSuite['figures'][number]): string {
  const of = `${formatCount(items)} ${items === 1 ? 'item' : 'items'}`;
  return unit === 'wins'
    ? `Wins ${value} % of ${of}, 95 % ${low} to ${high} %`
    : `${POINTS.format(value)} points on ${of}, 95 % ${POINTS.format(low)} to ${POINTS.format(high)}`;
}

/** What the next step waits for; null once the rollout is over. */
export const waitText = ({ waits_for: waits }: Pick<RolloutView, 'waits_for'>): string | null =>
  waits === null ? null : (WAITS[waits] ?? null);

/** The guard's settings in one line. */
export function guardText({ guard, minutes, steps }: Pick<RolloutView, 'guard' | 'minutes' | 'steps'>): string {
  const names = CHECK_NAMES.filter((check) => guard.checks.includes(check)).map((check) => CHECKS[check].toLowerCase());
  const compared = names.length === 0 ? 'compares nothing' : `compares ${names.join(', ')}`;
  const pace = minutes === null ? 'by hand' : `${formatRate(minutes)} min each`;
  return `Steps ${steps.join(', ')} %, ${pace}. The guard ${compared} from ${formatCount(guard.requests)} requests on.`;
}

const shareOf = (part: number, all: number): string =>
  all === 0 ? '–' : `${formatCount(part)} (${Number(((100 * part) / all).toFixed(1))} %)`;

/** One row of figures: what, and its value on both sides. */
export type FigureRow = readonly [what: string, stable: string, candidate: string];

/** Figures of both sides, a row each; dashes where there are none yet. */
export function figureRows({ stable, candidate }: NonNullable<RolloutView['figures']>): readonly FigureRow[] {
  const row = (what: string, of: (side: RolloutSide) => string): FigureRow => [what, of(stable), of(candidate)];
  return [
    row('Requests', ({ requests }) => formatCount(requests)),
    row('Failed', ({ errors, requests }) => shareOf(errors, requests)),
    row('Cut at the token limit', ({ cut, requests }) => shareOf(cut, requests)),
    row('First token p50 / p95', ({ first_token_ms: ms }) => (ms ? `${formatMs(ms.p50)} / ${formatMs(ms.p95)}` : '–')),
    row('Answer tokens p50 / p95', ({ answer_tokens: tokens }) =>
      tokens ? `${formatCount(Math.round(tokens.p50))} / ${formatCount(Math.round(tokens.p95))}` : '–',
    ),
  ];
}

/** Rising percentages as a person writes them; null = not valid. */
export function stepsOf(text: string): number[] | null {
  const steps = text.split(/[\s,]+/).filter((part) => part !== '');
  const numbers = steps.map(Number);
  const rises = numbers.every((step, at) => Number.isInteger(step) && step >= 1 && step <= 100 && step > (numbers[at - 1] ?? 0));
  return numbers.length > 0 && numbers.length <= 20 && rises ? numbers : null;
}
