import type { DeploymentView } from '@slipway/contracts';
import { Link } from '@tanstack/react-router';
import type { JSX } from 'react';
import { useAddresses } from '../api/use-call.js';
import { slugOf, targetOf } from '../deployments/inference-target.js';
import { StateBadge } from '../deployments/state-badge.js';
import { meaningOf, STATES } from '../deployments/state-words.js';
import { useAccount } from '../session/use-session.js';
import type { InferenceTarget } from '../snippets/inference-snippets.js';
import { ComboboxField } from '../ui/combobox-field.js';
import { Notice } from '../ui/notice.js';
import type { Choice } from '../ui/select.js';
import { AnswerView } from './answer-view.js';
import type { Lane } from './use-lane.js';
import type { AnswerLook } from './workspace.js';

type Named = Pick<DeploymentView, 'id' | 'name' | 'aliases' | 'state'>;

/** What a deployment is called first: its alias, which programs use; else its name. */
const calledOf = ({ name, aliases }: Pick<Named, 'name' | 'aliases'>): string => aliases[0] ?? name;

/** Deployments to choose from; each is found by alias, name or slug. */
export function choicesOf(deployments: readonly Named[]): Choice[] {
  return deployments.map((deployment) => {
    const { name, aliases, state } = deployment;
    const { text, look } = STATES[state];
    const slug = slugOf(deployment);
    const isTwice = deployments.some((other) => other.id !== deployment.id && calledOf(other) === calledOf(deployment));
    const others = [...(aliases.length > 0 ? [name, ...aliases.slice(1)] : []), slug, text];
    return { value: slug, label: isTwice ? `${calledOf(deployment)} (${slug})` : calledOf(deployment), hint: others.join(' · '), look };
  });
}

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
