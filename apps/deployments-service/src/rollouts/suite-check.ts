import type { EvaluateRollout } from '@slipway/contracts';
import type { z } from 'zod';
import type { SuiteOutcome } from './rollouts.repository.js';

type Evaluated = z.output<typeof EvaluateRollout.reply>;
type Figure = SuiteOutcome['figures'][number];

/** Before tuning-service was asked for the first time. */
export const NOT_ASKED: SuiteOutcome = { evaluation: null, state: 'waiting', detail: null, done: 0, total: 0, figures: [] };

/** Longest sentence that is kept. */
const DETAIL_CHARS = 500;

const rounded = (value: number): number => Math.round(value * 10) / 10;

/** What each grader says of the candidate against stable. Votes of people decide nothing, for they come when people have time. */
function figuresOf({ graders, result }: Evaluated): Figure[] {
  const kindOf = (place: number): string => graders[place] ?? `grader ${place + 1}`;
  const points = (result?.graders ?? []).flatMap(({ grader, delta }): Figure[] => {
    if (delta === null) return [];
    const [value, low, high] = [delta.points, delta.low, delta.high].map(rounded) as [number, number, number];
    return [{ grader: kindOf(grader), unit: 'points', value, low, high, items: delta.items, is_worse: delta.high < 0 }];
  });
  const wins = (result?.preferences ?? []).flatMap(({ grader, rate, ...of }): Figure[] => {
    if (rate === null || kindOf(grader) !== 'judge') return [];
    const [value, low, high] = [rate.share, rate.low, rate.high].map((part) => rounded(100 * part)) as [number, number, number];
    return [{ grader: 'judge', unit: 'wins', value, low, high, items: of.wins + of.losses, is_worse: rate.high < 0.5 }];
  });
  return [...points, ...wins];
}

const sentenceOf = ({ grader, unit, value, low, high, items }: Figure): string =>
  unit === 'wins'
    ? `the ${grader} prefers the candidate in ${value} % of ${items} items (95 %: ${low} to ${high} %)`
    : `${grader} differs from stable by ${value} points on ${items} items (95 %: ${low} to ${high})`;

/** What the evaluation of a rollout decides: the candidate is worse where a whole 95 % interval speaks against it. */
export function outcomeOf(evaluated: Evaluated): SuiteOutcome {
  const { evaluation, suite_name: name, state, detail, done, total } = evaluated;
  const known = { evaluation, done, total };
  const without = (why: string): SuiteOutcome => ({ ...known, state: 'failed', detail: why.slice(0, DETAIL_CHARS), figures: [] });
  if (state === 'queued' || state === 'running') return { ...known, state: 'running', detail, figures: [] };
  if (state !== 'succeeded')
    return without(
      `Evaluation ${evaluation} by the suite ${name} ${state === 'cancelled' ? 'was cancelled' : 'has failed'}. ${detail ?? ''}`.trimEnd(),
    );
  if (evaluated.has_changed) return without(`A deployment was changed while evaluation ${evaluation} by the suite ${name} ran.`);
  const figures = figuresOf(evaluated);
  const against = figures.filter(({ is_worse }) => is_worse);
  const said = against.length > 0 ? against.map(sentenceOf).join('; ') : 'no grader is certainly worse with the candidate';
  const sentence = `The suite ${name} (evaluation ${evaluation}): ${said}.`.slice(0, DETAIL_CHARS);
  return { ...known, state: against.length > 0 ? 'worse' : 'passed', detail: sentence, figures };
}
