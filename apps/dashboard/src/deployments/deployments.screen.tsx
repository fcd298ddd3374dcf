import type { DeploymentView } from '@slipway/contracts';
import { Link } from '@tanstack/react-router';
import { type JSX, useState } from 'react';
import { useCall } from '../api/use-call.js';
import { formatCount } from '../format/number.js';
import { useMayChange } from '../session/use-session.js';
import { Button } from '../ui/button.js';
import { Loaded } from '../ui/loaded.js';
import { Empty, Page } from '../ui/page.js';
import { type Column, Table } from '../ui/table.js';
import { CreateDeploymentDialog } from './create-deployment-dialog.js';
import { lookAgainAfter } from './deployment-actions.js';
import { slugOf } from './inference-target.js';
import { modelName } from './source-text.js';
import { StateBadge } from './state-badge.js';
import { type HourOfUse, useDeploymentUse } from './use-deployment-use.js';

export function DeploymentsScreen(): JSX.Element {
  const list = useCall('deployments/list', {}, { every: (data) => lookAgainAfter(data?.deployments ?? []) });
  const use = useDeploymentUse();
  const mayChange = useMayChange();
  const [creating, setCreating] = useState(false);
  const create = (
    <Button look="main" icon="plus" onClick={() => setCreating(true)}>
      Create deployment
    </Button>
  );
  const isEmpty = list.data?.deployments.length === 0;
  return (
    <Page
      title="Deployments"
      about="Models that answer requests, each under its own address."
      actions={mayChange && list.data && !isEmpty ? create : undefined}
    >
      <Loaded query={list} what="Deployments">
        {({ deployments }) =>
          deployments.length === 0 ? (
            <Empty title="No deployments yet" action={mayChange ? create : undefined}>
              Choose a model, and clients can call it a few seconds later.
            </Empty>
          ) : (
            <Table caption="Deployments" columns={columnsOf(use)} rows={deployments} keyOf={({ id }) => id} />
          )
        }
      </Loaded>
      {creating && <CreateDeploymentDialog onClose={() => setCreating(false)} />}
    </Page>
  );
}

const columnsOf = (hourOf: ((id: number) => HourOfUse) | null): readonly Column<DeploymentView>[] => [
  {
    title: 'Name',
    cell: (deployment) => (
      <div className="min-w-0">
        <Link to="/deployments/$slug" params={{ slug: slugOf(deployment) }} className="font-medium break-words text-accent hover:underline">
          {deployment.name}
        </Link>
        <div className="font-mono text-sm text-muted">{slugOf(deployment)}</div>
      </div>
    ),
  },
  { title: 'Model', cell: ({ source }) => <span className="break-all">{modelName(source)}</span> },
  { title: 'State', cell: (deployment) => <StateBadge deployment={deployment} /> },
  {
    title: 'Aliases',
    cell: ({ aliases }) =>
      aliases.length === 0 ? <span className="text-muted">None</span> : <span className="break-words">{aliases.join(', ')}</span>,
  },
  { title: 'Replicas', numeric: true, cell: ({ ready_replicas: ready, replicas }) => `${ready} of ${replicas}` },
  { title: 'Requests, 1 h', numeric: true, cell: ({ id }) => (hourOf ? formatCount(hourOf(id).requests) : '–') },
  { title: 'Tokens out, 1 h', numeric: true, cell: ({ id }) => (hourOf ? formatCount(hourOf(id).tokens) : '–') },
  {
    title: 'Errors, 1 h',
    numeric: true,
    cell: ({ id }) =>
      hourOf ? <span className={hourOf(id).errors > 0 ? 'font-medium text-bad' : ''}>{formatCount(hourOf(id).errors)}</span> : '–',
  },
];
