import type { DeploymentView } from '@slipway/contracts';
import { Link } from '@tanstack/react-router';
import type { JSX } from 'react';
import { slugOf } from '../deployments/inference-target.js';
import { StateBadge } from '../deployments/state-badge.js';
import { meaningOf } from '../deployments/state-words.js';
import { SelectField } from '../ui/field.js';
import { useAccount } from '../session/use-session.js';
import { Notice } from '../ui/notice.js';
import { AnswerView } from './answer-view.js';
import type { Lane } from './use-lane.js';

export interface LaneViewProps {
  readonly label: string;
  readonly lane: Lane;
  readonly deployment: DeploymentView;
  readonly deployments: readonly DeploymentView[];
  readonly onChoose: (slug: string) => void;
  /** Absent while nothing can be asked. */
  readonly onRetry?: (() => void) | undefined;
}

const ANSWERING: ReadonlySet<DeploymentView['state']> = new Set(['ready', 'degraded']);

/** The name, and the slug besides where several have it. */
const labelOf = (deployment: DeploymentView, all: readonly DeploymentView[]): string =>
  all.some(({ id, name }) => name === deployment.name && id !== deployment.id)
    ? `${deployment.name} (${slugOf(deployment)})`
    : deployment.name;

/** One conversation with one deployment. */
export function LaneView({ label, lane, deployment, deployments, onChoose, onRetry }: LaneViewProps): JSX.Element {
  const last = lane.turns.at(-1)?.id;
  const { slug: account } = useAccount();
  return (
    <section aria-label={label} className="grid grid-cols-[minmax(0,1fr)] content-start gap-4">
      <div className="grid grid-cols-[minmax(0,1fr)_auto] items-end gap-3">
        <SelectField
          label={label}
          choices={deployments.map((one) => ({ value: slugOf(one), label: labelOf(one, deployments) }))}
          value={slugOf(deployment)}
          onChange={({ target: { value } }) => onChoose(value)}
        />
        <div className="flex min-h-10 items-center">
          <StateBadge deployment={deployment} />
        </div>
      </div>
      {!ANSWERING.has(deployment.state) && (
        <Notice
          look="warn"
          action={
            <Link
              to="/$account/deployments/$slug"
              params={{ account, slug: slugOf(deployment) }}
              className="font-medium text-accent underline"
            >
              Open it
            </Link>
          }
        >
          {meaningOf(deployment)}
        </Notice>
      )}
      {lane.turns.map((turn) => (
        <AnswerView key={turn.id} turn={turn} onStop={lane.stop} onRetry={turn.id === last ? onRetry : undefined} />
      ))}
      {lane.turns.length === 0 && (
        <p className="rounded-lg border border-dashed border-edge px-4 py-10 text-center text-muted">
          Write a message below; {deployment.name} answers here, as it would answer your program.
        </p>
      )}
    </section>
  );
}
