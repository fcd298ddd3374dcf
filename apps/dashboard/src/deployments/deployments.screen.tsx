import type { DeploymentView } from '@slipway/contracts';
import { modelNameOf } from '@slipway/contracts/engines';
import { Link } from '@tanstack/react-router';
import { type JSX, useState } from 'react';
import { useCall } from '../api/use-call.js';
import { formatCount, formatRate } from '../format/number.js';
import { useAccount, useMayChange } from '../session/use-session.js';
import { Button } from '../ui/button.js';
import { CopyIcon } from '../ui/copy-button.js';
import { Loaded } from '../ui/loaded.js';
import { Moment } from '../ui/moment.js';
import { Empty, Page } from '../ui/page.js';
import { type Column, Table, Truncated } from '../ui/table.js';
import { SPEED, TTFT, written } from '../usage/figures.js';
import type { Sums } from '../usage/usage-range.js';
import { CreateDeploymentDialog } from './create-deployment-dialog.js';
import { lookAgainAfter } from './deployment-actions.js';
import { slugOf } from './inference-target.js';
import { replicasText, slotsText } from './slots-text.js';
import { StateBadge } from './state-badge.js';
import { useDeploymentUse } from './use-deployment-use.js';

/** Of the hour over which the list sums up. */
const MINUTES = 60;

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
            <>
              <Table caption="Deployments" columns={columnsOf(use)} rows={deployments} keyOf={({ id }) => id} />
              <p className="text-sm text-muted">
                Slots: how many requests are served at once, of how many are configured. Requests, speed and errors are those of the last
                hour.
              </p>
            </>
          )
        }
      </Loaded>
      {creating && <CreateDeploymentDialog onClose={() => setCreating(false)} />}
    </Page>
  );
}

type Row = DeploymentView;

const IN_LISTS = [
  { title: 'Tokens/s', figure: SPEED },
  { title: 'TTFT p50', figure: TTFT },
] as const;

const columnsOf = (hourOf: ((id: number) => Sums) | null): readonly Column<Row>[] => [
  { title: 'Name', cell: (deployment) => <NameCell deployment={deployment} /> },
  { title: 'Model', cell: ({ source }) => <Truncated text={modelNameOf(source)} /> },
  { title: 'State', cell: (deployment) => <StateBadge deployment={deployment} /> },
  {
    title: 'Aliases',
    cell: ({ aliases }) => (aliases.length === 0 ? <span className="text-muted">None</span> : <Truncated text={aliases.join(', ')} />),
  },
  {
    title: 'Slots',
    numeric: true,
    cell: (deployment) => (
      <div>
        {slotsText(deployment)}
        <span className="block text-sm whitespace-nowrap text-muted">{replicasText(deployment)}</span>
      </div>
    ),
  },
  { title: 'Requests/min', numeric: true, cell: ({ id }) => (hourOf ? formatRate(hourOf(id).requests / MINUTES) : '–') },
  ...IN_LISTS.map(({ title, figure }): Column<Row> => ({
    title,
    numeric: true,
    cell: ({ id }) => (hourOf ? written(figure, figure.lines[0].of(hourOf(id))) : '–'),
  })),
  {
    title: 'Errors',
    numeric: true,
    cell: ({ id }) =>
      hourOf ? <span className={hourOf(id).errors > 0 ? 'font-medium text-bad' : ''}>{formatCount(hourOf(id).errors)}</span> : '–',
  },
  { title: 'Created', cell: ({ created_at: at }) => (at === undefined ? '–' : <Moment at={at} />) },
];

function NameCell({ deployment }: { readonly deployment: DeploymentView }): JSX.Element {
  const slug = slugOf(deployment);
  const { slug: account } = useAccount();
  return (
    <div className="min-w-0">
      <Link
        to="/$account/deployments/$slug"
        params={{ account, slug }}
        title={deployment.name}
        className="block truncate font-medium text-accent hover:underline md:max-w-64 md:min-w-32"
      >
        {deployment.name}
      </Link>
      <div className="flex items-center gap-1 font-mono text-sm text-muted">
        <span className="whitespace-nowrap">{slug}</span>
        <CopyIcon text={slug} />
      </div>
    </div>
  );
}
