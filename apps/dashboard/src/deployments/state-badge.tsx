import type { DeploymentView } from '@slipway/contracts';
import type { JSX } from 'react';
import { formatPercent } from '../format/number.js';
import { Badge } from '../ui/badge.js';
import { STATES } from './state-words.js';

export function StateBadge({
  deployment,
}: {
  readonly deployment: Pick<DeploymentView, 'state' | 'progress' | 'rev' | 'serving_rev'>;
}): JSX.Element {
  const { state, progress, rev, serving_rev: serving } = deployment;
  const { text, look, icon } = STATES[state];
  const done = progress !== null && state === 'loading' ? ` ${formatPercent(progress)}` : '';
  const isUpdating = state === 'ready' && serving != null && serving < rev;
  return (
    <span className="inline-flex flex-wrap gap-1.5">
      <Badge look={look} icon={icon} text={`${text}${done}`} />
      {isUpdating && <Badge look="busy" icon="spinner" text={`Updating${progress === null ? '' : ` ${formatPercent(progress)}`}`} />}
    </span>
  );
}
