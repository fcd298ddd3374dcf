import type { DeploymentView } from '@slipway/contracts';
import type { JSX } from 'react';
import { formatPercent } from '../format/number.js';
import { Status } from '../ui/status.js';
import { STATES } from './state-words.js';

type Facts = Pick<DeploymentView, 'state' | 'progress' | 'rev' | 'serving_rev'> &
  Partial<Pick<DeploymentView, 'replicas' | 'ready_replicas'>>;

export interface StateBadgeProps {
  readonly deployment: Facts;
  /** Says how many replicas are ready where there are several or some are missing. */
  readonly withReplicas?: boolean;
}

/** `1/2` where a deployment has several replicas; null where one word says it all. */
export const replicasNote = ({ state, replicas = 1, ready_replicas: ready = 0 }: Facts): string | null =>
  replicas > 1 && !['stopped', 'stopping', 'deleting'].includes(state) ? `${ready}/${replicas}` : null;

/** State of a deployment with the progress of what is loading. */
export function StateBadge({ deployment, withReplicas = false }: StateBadgeProps): JSX.Element {
  const { state, progress, rev, serving_rev: serving } = deployment;
  const { text, look } = STATES[state];
  const done = progress !== null && state === 'loading' ? ` ${formatPercent(progress)}` : '';
  const isUpdating = state === 'ready' && serving != null && serving < rev;
  const replicas = withReplicas ? replicasNote(deployment) : null;
  return (
    <span className="inline-flex items-center gap-x-2 whitespace-nowrap">
      <Status
        look={isUpdating ? 'busy' : look}
        text={isUpdating ? `Updating${progress === null ? '' : ` ${formatPercent(progress)}`}` : `${text}${done}`}
      />
      {replicas !== null && (
        <span className="text-xs text-muted tabular-nums">
          {replicas}
          <span className="sr-only"> replicas ready</span>
        </span>
      )}
    </span>
  );
}
