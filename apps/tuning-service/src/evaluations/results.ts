import { type DeploymentResult, type Grader, type GraderResult, PAIRWISE_GRADERS, type PreferenceResult } from '@slipway/contracts';
import type { AnswerRow, JudgementRow, Preference, VoteRow } from './answers.repository.js';
import type { EvaluationRow } from './evaluation-rows.js';
import { median, pairedDifference, wilson } from './statistics.js';

/** What is stored of an evaluation's answers, without their text. */
export interface Scores {
  readonly answers: readonly Pick<AnswerRow, 'n' | 'place' | 'error' | 'passed' | 'ms'>[];
  readonly judgements: readonly JudgementRow[];
  readonly votes: readonly VoteRow[];
}

/** What both orders of a judge come to: the same verdict twice, or a tie. Null while one is missing. */
export function settled(turns: readonly Preference[]): Preference | null {
  const [first, second] = turns;
  if (first === undefined || second === undefined) return null;
  if (first === 'unread' || second === 'unread') return 'unread';
  return first === second ? first : 'tie';
}

/** What people's votes on one pair come to: the majority, or a tie. */
export function majority(votes: readonly Preference[]): Preference {
  const lead = votes.filter((vote) => vote === 'better').length - votes.filter((vote) => vote === 'worse').length;
  if (lead === 0) return 'tie';
  return lead > 0 ? 'better' : 'worse';
}

/** Values by a key, in their order. */
function grouped<T>(values: readonly T[], keyOf: (value: T) => string): ReadonlyMap<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const value of values) {
    const key = keyOf(value);
    const group = groups.get(key);
    if (group) group.push(value);
    else groups.set(key, [value]);
  }
  return groups;
}

/** What each judge and people say of each answer against the baseline's, by `grader/n/place`. */
export function preferences(graders: readonly Grader[], { judgements, votes }: Scores): ReadonlyMap<string, Preference> {
  const found = new Map<string, Preference>();
  for (const [key, turns] of grouped(judgements, ({ grader, n, place }) => `${grader}/${n}/${place}`)) {
    const verdict = settled(turns.map(({ verdict: each }) => each));
    if (verdict !== null) found.set(key, verdict);
  }
  const people = graders.findIndex(({ kind }) => kind === 'people');
  if (people < 0) return found;
  for (const [key, cast] of grouped(votes, ({ n, place }) => `${people}/${n}/${place}`)) {
    found.set(key, majority(cast.map(({ verdict }) => verdict)));
  }
  return found;
}

function graderResult(
  grader: number,
  own: Scores['answers'],
  baseline: ReadonlyMap<number, Scores['answers'][number]> | null,
): GraderResult {
  const isPassed = (answer: Scores['answers'][number]): boolean => answer.passed[grader] === true;
  const passed = own.filter(isPassed).length;
  return { grader, passed, of: own.length, rate: wilson(passed, own.length), delta: deltaOf(own, baseline, isPassed) };
}

function deltaOf(
  own: Scores['answers'],
  baseline: ReadonlyMap<number, Scores['answers'][number]> | null,
  isPassed: (answer: Scores['answers'][number]) => boolean,
): GraderResult['delta'] {
  if (baseline === null) return null;
  const pairs = own.flatMap((answer) => {
    const other = baseline.get(answer.n);
    return other ? [{ here: isPassed(answer), there: isPassed(other) }] : [];
  });
  const better = pairs.filter(({ here, there }) => here && !there).length;
  const worse = pairs.filter(({ here, there }) => !here && there).length;
  const difference = pairedDifference(better, worse, pairs.length);
  return difference && { ...difference, better, worse, items: pairs.length, is_certain: difference.low > 0 || difference.high < 0 };
}

function preferenceResult(grader: number, verdicts: readonly Preference[]): PreferenceResult {
  const count = (wanted: Preference): number => verdicts.filter((verdict) => verdict === wanted).length;
  const [wins, losses] = [count('better'), count('worse')];
  return { grader, wins, losses, ties: count('tie'), unread: count('unread'), rate: wilson(wins, wins + losses) };
}

/** The results so far, in the order of the deployments. */
export function resultsOf({ graders, deployments }: Pick<EvaluationRow, 'graders' | 'deployments'>, scores: Scores): DeploymentResult[] {
  const baseline = new Map(scores.answers.filter(({ place }) => place === 0).map((answer) => [answer.n, answer]));
  const preferred = preferences(graders, scores);
  return deployments.map(({ deployment }, place) => {
    const own = scores.answers.filter((answer) => answer.place === place);
    const failed = own.filter(({ error }) => error !== null).length;
    const isPairwise = (grader: Grader): boolean => PAIRWISE_GRADERS.includes(grader.kind);
    return {
      ...{ deployment, answered: own.length - failed, failed },
      graders: graders.flatMap((grader, i) => (isPairwise(grader) ? [] : [graderResult(i, own, place === 0 ? null : baseline)])),
      preferences: graders.flatMap((grader, i) => {
        if (!isPairwise(grader) || place === 0) return [];
        const verdicts = own.flatMap(({ n }) => preferred.get(`${i}/${n}/${place}`) ?? []);
        return [preferenceResult(i, verdicts)];
      }),
      median_ms: median(own.filter(({ error }) => error === null).map(({ ms }) => ms)),
    };
  });
}
