import type { DeploymentView } from '@slipway/contracts';
import { Link } from '@tanstack/react-router';
import type { JSX } from 'react';
import { useAddresses } from '../api/use-call.js';
import { slugOf, targetOf } from '../deployments/inference-target.js';
import { StateBadge } from '../deployments/state-badge.js';
import { meaningOf } from '../deployments/state-words.js';
import { useAccount } from '../session/use-session.js';
import type { InferenceTarget } from '../snippets/inference-snippets.js';
import { ComboboxField } from '../ui/combobox-field.js';
import { Notice } from '../ui/notice.js';
import { AnswerView } from './answer-view.js';
import { calledOf, choicesOf } from './deployment-choice.js';
import type { Lane } from './use-lane.js';
import type { AnswerLook } from './workspace.js';

export interface LaneViewProps {
  readonly label: string;
  readonly lane: Lane;
  readonly look: AnswerLook;
  readonly deployment: DeploymentView;
  readonly deployments: readonly DeploymentView[];
  readonly onChoose: (slug: string) => void;
  /** Absent while nothing can be asked. */
  readonly onRetry?: (() => void) | undefined;
}

const ANSWERING: ReadonlySet<DeploymentView['state']> = new Set(['ready', 'degraded']);

/** One conversation with one deployment. */
export function LaneView({ label, lane, look, deployment, deployments, onChoose, onRetry }: LaneViewProps): JSX.Element {
  const last = lane.turns.at(-1)?.id;
  const targetOfSlug = useTargets(deployments);
  return (
    <section aria-label={label} className="grid grid-cols-[minmax(0,1fr)] content-start gap-4">
      <div className="grid grid-cols-[minmax(0,28rem)_auto] items-end gap-3">
        <ComboboxField
          label={label}
          choices={choicesOf(deployments)}
          value={slugOf(deployment)}
          onChange={onChoose}
          placeholder="Search deployments"
          nothing="No deployment matches."
        />
        <div className="flex min-h-8 items-center">
          <StateBadge deployment={deployment} />
        </div>
      </div>
      {!ANSWERING.has(deployment.state) && <NotAnswering deployment={deployment} />}
      {lane.turns.map((turn) => (
        <AnswerView
          key={turn.id}
          {...{ turn, look }}
          target={targetOfSlug(turn.ask.model)}
          onStop={lane.stop}
          onRetry={turn.id === last ? onRetry : undefined}
        />
      ))}
      {lane.turns.length === 0 && (
        <p className="rounded-lg border border-dashed border-edge px-4 py-16 text-center text-muted">
          Send a message to {calledOf(deployment)} to start a conversation.
        </p>
      )}
    </section>
  );
}

/** How programs reach the deployment with a slug; null where it is not known. */
function useTargets(deployments: readonly DeploymentView[]): (slug: string) => InferenceTarget | null {
  const { slug: account } = useAccount();
  const gateway = useAddresses()?.gateway_url;
  return (slug) => {
    const deployment = deployments.find((one) => slugOf(one) === slug);
    return deployment === undefined || gateway === undefined ? null : targetOf(gateway, account, deployment);
  };
}

function NotAnswering({ deployment }: { readonly deployment: DeploymentView }): JSX.Element {
  const { slug: account } = useAccount();
  return (
    <Notice
      look="warn"
      action={
        <Link
          to="/$account/deployments/$slug"
          params={{ account, slug: slugOf(deployment) }}
          className="font-medium text-accent hover:underline"
        >
          Open deployment
        </Link>
      }
    >
      {meaningOf(deployment)}
    </Notice>
  );
}
