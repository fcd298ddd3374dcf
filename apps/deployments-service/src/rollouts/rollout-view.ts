import type { RolloutFigures, RolloutView } from '@slipway/contracts';
import type { z } from 'zod';
import type { Rollout } from './rollouts.repository.js';
import { NOT_ASKED } from './suite-check.js';

type View = z.input<typeof RolloutView>;

/** The share of the candidate, in percent. */
function percentOf({ state, steps, atStep }: Pick<Rollout, 'state' | 'steps' | 'atStep'>): number {
  if (state === 'running') return steps[atStep] ?? 100;
  return state === 'promoted' ? 100 : 0;
}

/** What its suite says of the candidate; null = it has none. */
const suiteOf = ({ suite, suiteOutcome }: Rollout): View['suite'] => suite && { suite, ...(suiteOutcome ?? NOT_ASKED) };

function waitsFor({ state, minutes, isDue, guard, suite, suiteOutcome }: Rollout, figures: RolloutFigures | null): View['waits_for'] {
  if (state !== 'running') return null;
  if (minutes === null || suiteOutcome?.state === 'failed') return 'person';
  if (suite !== null && suiteOutcome?.state !== 'passed') return 'suite';
  if (!isDue) return 'time';
  if (figures === null) return 'figures';
  return figures.candidate.requests < guard.requests ? 'requests' : 'time';
}

/** A rollout as people see it. @param figures of the present step; those of the end where it is over */
export function rolloutView(rollout: Rollout, figures: RolloutFigures | null): View {
  const { id, alias, stable, candidate, state, steps, atStep, minutes, guard, reason } = rollout;
  return {
    ...{ id, alias, stable, candidate, state, steps: [...steps], minutes, guard, reason, figures },
    at_step: atStep,
    percent: percentOf(rollout),
    waits_for: waitsFor(rollout, figures),
    suite: suiteOf(rollout),
    started_at: rollout.startedAt.toISOString(),
    since: rollout.since.toISOString(),
  };
}
