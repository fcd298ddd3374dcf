import { type DeploymentFigures, ROLLOUT_CHECKS, type RolloutCheck, type RolloutGuard, type RolloutSide } from '@slipway/contracts';
import { type Histogram, quantile, type Share, shiftOf, worseShare } from './figure-tests.js';

/** Probability of a chance result below which a difference counts. */
const P = 0.01;
/** The same as standard deviations of a one-sided test. */
const Z = 2.326;
/** Smallest difference of two shares that counts: a rollout is not taken back for less, however sure it is. */
const SHARE_DIFFERENCE = 0.02;
/** How often a first token of the candidate must be later than one of stable; 0.5 where both are alike. */
const LATER = 0.65;
/** The same for longer answers. Higher, because another model may well write somewhat more. */
const LONGER = 0.75;

/** Figures of both sides of a rollout. */
export interface BothSides {
  readonly stable: DeploymentFigures;
  readonly candidate: DeploymentFigures;
}

const percentOf = ({ cases, all }: Share): string => `${Number(((100 * cases) / Math.max(1, all)).toFixed(1))} % (${cases} of ${all})`;
const roundOf = (histogram: Histogram): string => String(Number((quantile(histogram, 0.5) ?? 0).toPrecision(3)));

function shares(what: string, candidate: Share, stable: Share): string | null {
  const difference = candidate.cases / Math.max(1, candidate.all) - stable.cases / Math.max(1, stable.all);
  if (difference < SHARE_DIFFERENCE || worseShare(candidate, stable) >= P) return null;
  return `${what}: ${percentOf(candidate)} of the candidate's, ${percentOf(stable)} of stable's.`;
}

function shifts(what: string, [candidate, stable]: readonly [Histogram, Histogram], least: number): string | null {
  const { above, z } = shiftOf(candidate, stable);
  if (z < Z || above < least) return null;
  return `${what}: ${roundOf(candidate)} with the candidate, ${roundOf(stable)} with stable.`;
}

/** Each comparison: a sentence with figures where the candidate is worse, else null. */
const CHECKS: Record<RolloutCheck, (sides: BothSides) => string | null> = {
  errors: ({ candidate, stable }) =>
    shares('Failed requests', { cases: candidate.errors, all: candidate.requests }, { cases: stable.errors, all: stable.requests }),
  cut: ({ candidate, stable }) =>
    shares(
      'Answers that ended at their token limit',
      { cases: candidate.cut, all: candidate.completed },
      { cases: stable.cut, all: stable.completed },
    ),
  first_token: ({ candidate, stable }) =>
    shifts('Median milliseconds to the first token', [candidate.first_token_ms, stable.first_token_ms], LATER),
  answer_tokens: ({ candidate, stable }) => shifts('Median tokens of an answer', [candidate.answer_tokens, stable.answer_tokens], LONGER),
};

/** True once the candidate has answered enough requests to be judged. */
export const hasEnough = ({ requests }: RolloutGuard, { candidate }: BothSides): boolean => candidate.requests >= requests;

/** Why the candidate is worse than stable, in a sentence with figures; null = it is not, or has too few requests to say so. */
export function worse(guard: RolloutGuard, sides: BothSides): string | null {
  if (!hasEnough(guard, sides)) return null;
  for (const check of ROLLOUT_CHECKS) {
    const reason = guard.checks.includes(check) ? CHECKS[check](sides) : null;
    if (reason !== null) return reason;
  }
  return null;
}

/** Figures as people see them. */
export function sideOf({ requests, errors, cut, first_token_ms, answer_tokens }: DeploymentFigures): RolloutSide {
  const spread = (histogram: Histogram): RolloutSide['answer_tokens'] => {
    const [p50, p95] = [quantile(histogram, 0.5), quantile(histogram, 0.95)];
    return p50 === null || p95 === null ? null : { p50, p95 };
  };
  return { requests, errors, cut, first_token_ms: spread(first_token_ms), answer_tokens: spread(answer_tokens) };
}
