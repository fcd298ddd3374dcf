import type { RolloutFigures, RolloutView } from '@slipway/contracts';
import type { z } from 'zod';
import type { Rollout } from './rollouts.repository.js';

type View = z.input<typeof RolloutView>;

/** The share of the candidate, in percent. */
function percentOf({ state, steps, atStep }: Pick<Rollout, 'state' | 'steps' | 'atStep'>): number {
  if (state === 'running') return steps[atStep] ?? 100;
  return state === 'promoted' ? 100 : 0;
}

function waitsFor({ state, minutes, isDue, guard }: Rollout, figures: RolloutFigures | null): View['waits_for'] {
  if (state !== 'running') return null;
  if (minutes === null) return 'person';
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
    started_at: rollout.startedAt.toISOString(),
    since: rollout.since.toISOString(),
  };
}
