import type { DeploymentView } from '@slipway/contracts';
import { engineFacts, modelNameOf } from '@slipway/contracts/engines';
import { Link, useNavigate } from '@tanstack/react-router';
import { type JSX, useCallback, useMemo } from 'react';
import { useAccount, useMayChange } from '../session/use-session.js';
import { DEPLOYMENTS_SEARCH } from '../searches.js';
import { buttonClass } from '../ui/button.js';
import { DataTable } from '../ui/data-table/data-table.js';
import type { BulkAction, Facet, RowAction } from '../ui/data-table/types.js';
import { EmptyState } from '../ui/empty-state.js';
import { Icon } from '../ui/icon.js';
import { Page } from '../ui/page.js';
import { useUrlState } from '../url-state/use-url-state.js';
import { actionsOf } from './deployment-actions.js';
import { ableTo } from './command-targets.js';
import { type DeploymentCommands, useDeploymentCommands } from './deployment-commands.js';
import { deploymentColumns, engineKindIn } from './deployment-columns.js';
import { slugOf } from './inference-target.js';
import { STATES } from './state-words.js';
import { useCourses, useDeploymentUse } from './use-deployment-use.js';
import { useDeployments, useLoads } from './use-deployments.js';

const FACETS: readonly Facet<DeploymentView>[] = [
  {
    id: 'status',
    title: 'Status',
    of: ({ state }) => [state],
    words: (state) => (Object.hasOwn(STATES, state) ? STATES[state as keyof typeof STATES].text : state),
  },
  { id: 'engine', title: 'Engine', of: (one) => [engineKindIn(one)], words: (kind) => engineFacts(kind)?.title ?? kind },
  { id: 'model', title: 'Model', of: ({ source }) => [modelNameOf(source)] },
];

const nameOf = ({ name }: DeploymentView): string => name;
const keyOf = ({ id }: DeploymentView): number => id;

export function DeploymentsScreen(): JSX.Element {
  const list = useDeployments();
  const state = useUrlState(DEPLOYMENTS_SEARCH);
  const { slug: account } = useAccount();
  const mayChange = useMayChange();
  const commands = useDeploymentCommands();
  const hourOf = useDeploymentUse();
  const loads = useLoads();
  const courses = useCourses(list.data?.length);
  const columns = useMemo(() => deploymentColumns({ hourOf, loads, courses }), [hourOf, loads, courses]);
  const rowHref = useCallback((row: DeploymentView) => `/${account}/deployments/${slugOf(row)}`, [account]);
  const rowActions = useRowActions(commands);
  const create = mayChange && <CreateLink />;
  return (
    <Page title="Deployments" actions={list.data?.length === 0 ? undefined : create}>
      <DataTable
        label="Deployments"
        {...{ columns, keyOf, nameOf, state, rowHref, rowActions }}
        rows={list.data}
        query={list}
        facets={FACETS}
        {...(mayChange && { bulkActions: bulkActionsOf(commands) })}
        empty={
          <EmptyState
            title="No deployments yet"
            icon="box"
            action={create}
            {...(mayChange && { command: 'npx slipway deployments create --model MODEL.gguf --name NAME' })}
          >
            A deployment serves one model at an address of its own.
          </EmptyState>
        }
      />
      {commands.dialog}
    </Page>
  );
}

function CreateLink(): JSX.Element {
  const { slug: account } = useAccount();
  return (
    <Link to="/$account/deployments/create" params={{ account }} className={buttonClass('main')} data-shortcut="create">
      <Icon name="plus" className="-ml-0.5 size-4" />
      Create deployment
    </Link>
  );
}

function bulkActionsOf({ ask, resume }: DeploymentCommands): readonly BulkAction<DeploymentView>[] {
  const none =
    (...actions: Parameters<typeof ableTo>[1][]) =>
    (rows: readonly DeploymentView[]): boolean =>
      ableTo(rows, ...actions).length === 0;
  return [
    { label: 'Stop', disabled: none('stop'), onSelect: (deployments, onDone) => ask({ command: 'stop', deployments, onDone }) },
    {
      label: 'Resume',
      disabled: none('resume', 'retry'),
      onSelect: (rows, clear) => void resume(ableTo(rows, 'resume', 'retry'), clear),
    },
    {
      label: 'Delete',
      danger: true,
      disabled: none('delete'),
      onSelect: (deployments, onDone) => ask({ command: 'delete', deployments, onDone }),
    },
  ];
}

/** What can be done with one row; viewers can only look. */
function useRowActions({ ask, resume }: DeploymentCommands): (row: DeploymentView) => readonly RowAction[] {
  const navigate = useNavigate();
  const { slug: account } = useAccount();
  const mayChange = useMayChange();
  return (row) => {
    const slug = slugOf(row);
    const open: RowAction = {
      label: 'Open',
      onSelect: () => void navigate({ to: '/$account/deployments/$slug', params: { account, slug } }),
    };
    if (!mayChange) return [open];
    const can = actionsOf(row);
    const again: RowAction = {
      label: can.includes('retry') ? 'Try again' : 'Resume',
      onSelect: () => void resume([row]),
    };
    return [
      open,
      {
        label: 'Playground',
        onSelect: () => void navigate({ to: '/$account/playground', params: { account }, search: { deployment: slug } }),
      },
      ...(can.includes('resume') || can.includes('retry') ? [again] : []),
      ...(can.includes('stop') ? [{ label: 'Stop', onSelect: () => ask({ command: 'stop', deployments: [row] }) }] : []),
      {
        label: 'Delete',
        danger: true,
        disabled: !can.includes('delete'),
        onSelect: () => ask({ command: 'delete', deployments: [row] }),
      },
    ];
  };
}
