import type { DeploymentView } from '@slipway/contracts';
import type { JSX } from 'react';
import { formatPercent } from '../format/number.js';
import { Status } from '../ui/status.js';
import { STATES } from './state-words.js';

export function StateBadge({
  deployment,
}: {
  readonly deployment: Pick<DeploymentView, 'state' | 'progress' | 'rev' | 'serving_rev'>;
}): JSX.Element {
  const { state, progress, rev, serving_rev: serving } = deployment;
  const { text, look } = STATES[state];
  const done = progress !== null && state === 'loading' ? ` ${formatPercent(progress)}` : '';
  const isUpdating = state === 'ready' && serving != null && serving < rev;
  return (
    <span className="inline-flex flex-wrap gap-x-3 gap-y-1">
      <Status look={look} text={`${text}${done}`} />
      {isUpdating && <Status look="busy" text={`Updating${progress === null ? '' : ` ${formatPercent(progress)}`}`} />}
    </span>
  );
}
