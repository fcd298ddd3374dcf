import type { ReplicaView } from '@slipway/contracts';
import type { JSX, ReactNode } from 'react';
import { formatCount, formatPercent } from '../format/number.js';
import { Moment } from '../ui/moment.js';
import { Notice } from '../ui/notice.js';
import { Panel } from '../ui/page.js';
import { ERRORS, REQUESTS, SPEED, TTFT, written } from '../usage/figures.js';
import { type Column, Table } from '../ui/table.js';
import { CodePanel } from './code-panel.js';
import type { DeploymentDetails } from './deployment-details.js';
import { StateBadge } from './state-badge.js';
import { REASONS, meaningOf } from './state-words.js';
import { useDeploymentUse } from './use-deployment-use.js';

export function OverviewTab({ details }: { readonly details: DeploymentDetails }): JSX.Element {
  const { deployment, running } = details;
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-5">
      <Why details={details} />
      <Facts details={details} />
      <CodePanel deployment={deployment} />
      {running.length > 0 && (
        <section className="grid grid-cols-[minmax(0,1fr)] gap-3">
          <h2 className="text-base font-semibold">Workers</h2>
          <Table caption="Workers" columns={REPLICA_COLUMNS} rows={running} keyOf={({ agent, rev }) => `${agent}:${rev}`} />
        </section>
      )}
    </div>
  );
}

/** What is wrong and what to do about it. */
function Why({ details: { deployment } }: { readonly details: DeploymentDetails }): JSX.Element | null {
  const { reason, detail, state } = deployment;
  if (reason === null) return null;
  const { text, advice } = REASONS[reason];
  return (
    <Notice look={state === 'failed' ? 'bad' : 'warn'}>
      <p className="font-medium">{text}</p>
      {detail !== null && <p className="break-words">{detail}</p>}
      <p>{advice}</p>
    </Notice>
  );
}

function Fact({ name, children }: { readonly name: string; readonly children: ReactNode }): JSX.Element {
  return (
    <div className="min-w-0">
      <dt className="text-sm text-muted">{name}</dt>
      <dd className="break-words">{children}</dd>
    </div>
  );
}

function Facts({ details: { deployment } }: { readonly details: DeploymentDetails }): JSX.Element {
  const use = useDeploymentUse()?.(deployment.id);
  const { since, created_at: created, context, caps, replicas, ready_replicas: ready, rev, serving_rev: serving } = deployment;
  return (
    <Panel title="Now">
      <p className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <StateBadge deployment={deployment} />
        <span className="text-muted">
          since <Moment at={since} />
        </span>
      </p>
      <p>{meaningOf(deployment)}</p>
      <dl className="grid grid-cols-2 gap-4 sm:grid-cols-4">
        <Fact name="Replicas">
          {ready} of {replicas} ready
        </Fact>
        <Fact name="Revision">{serving != null && serving !== rev ? `${serving} serves, ${rev} is newest` : rev}</Fact>
        <Fact name="Context length">{context === null ? 'Not known yet' : `${formatCount(context)} tokens`}</Fact>
        <Fact name="Created">
          <Moment at={created} />
        </Fact>
        {[REQUESTS, ERRORS, SPEED, TTFT].map((figure) => (
          <Fact key={figure.value} name={`${figure.lines[0].label}, 1 h`}>
            {use ? written(figure, figure.lines[0].of(use)) : '–'}
          </Fact>
        ))}
      </dl>
      <details>
        <summary className="text-sm font-medium">What requests may use</summary>
        <p className="pt-2 text-muted">
          {caps.length === 0 ? 'Not known yet: it was not ready so far.' : caps.join(', ').replaceAll('_', ' ')}
        </p>
      </details>
    </Panel>
  );
}

const REPLICA_COLUMNS: readonly Column<ReplicaView>[] = [
  { title: 'Host', cell: ({ host }) => host },
  {
    title: 'State',
    cell: ({ state, progress }) => `${state}${progress === null || state !== 'loading' ? '' : ` ${formatPercent(progress)}`}`,
  },
  { title: 'Revision', numeric: true, cell: ({ rev }) => rev },
  { title: 'Context', numeric: true, cell: ({ context }) => (context === null ? '–' : formatCount(context)) },
  { title: 'Note', cell: ({ reason, detail }) => detail ?? (reason === null ? '–' : REASONS[reason].text) },
];
