import type { SuiteView } from '@slipway/contracts';
import type { UseQueryResult } from '@tanstack/react-query';
import { type JSX, lazy, Suspense, useMemo, useState } from 'react';
import { useActorNames } from '../activity/use-actor-names.js';
import { useChange } from '../api/use-call.js';
import { SUITE_LIST_SEARCH } from '../searches.js';
import { useAccount, useMayChange } from '../session/use-session.js';
import { Button } from '../ui/button.js';
import { creatorColumn, momentColumn } from '../ui/data-table/columns.js';
import { DataTable } from '../ui/data-table/data-table.js';
import { Truncated } from '../ui/data-table/truncated.js';
import type { Column, RowAction } from '../ui/data-table/types.js';
import { EmptyState } from '../ui/empty-state.js';
import { Dash } from '../ui/quantity.js';
import { useUrlState } from '../url-state/use-url-state.js';
import { graderName } from './evaluation-words.js';

const GateDialog = lazy(async () => ({ default: (await import('./gate-dialog.js')).GateDialog }));
const ConfirmDialog = lazy(async () => ({ default: (await import('../ui/confirm-dialog.js')).ConfirmDialog }));

export interface SuitesTableProps {
  readonly query: UseQueryResult<readonly SuiteView[]>;
  readonly onNew: () => void;
}

/** The suites of the account. */
export function SuitesTable({ query, onNew }: SuitesTableProps): JSX.Element {
  const { role } = useAccount();
  const mayChange = useMayChange();
  const state = useUrlState(SUITE_LIST_SEARCH);
  const nameOf = useActorNames();
  const columns = useMemo(() => columnsFor(nameOf), [nameOf]);
  const remove = useChange('suites/delete', ['suites/', 'evaluations/', 'adapters/']);
  const [deleted, setDeleted] = useState<SuiteView | null>(null);
  const [gated, setGated] = useState<SuiteView | null>(null);
  const rowActions = (suite: SuiteView): readonly RowAction[] => [
    { label: 'Gate of an adapter', disabled: role !== 'owner', onSelect: () => setGated(suite) },
    { label: 'Delete', danger: true, disabled: suite.gate !== null && role !== 'owner', onSelect: () => setDeleted(suite) },
  ];
  const onConfirm = async (): Promise<void> => {
    if (deleted) await remove.mutateAsync({ suite: deleted.id });
    setDeleted(null);
  };
  return (
    <>
      <DataTable
        label="Suites"
        rows={query.data}
        {...{ query, state }}
        columns={columns}
        facets={[]}
        keyOf={({ id }) => id}
        nameOf={({ name }) => name}
        {...(mayChange && { rowActions })}
        empty={
          <EmptyState title="No suites yet" icon="evaluate" action={mayChange && <Button onClick={onNew}>Make a suite</Button>}>
            A suite names a data set, how many of its conversations are asked, and the graders of the answers.
          </EmptyState>
        }
      />
      <Suspense fallback={null}>
        {deleted && (
          <ConfirmDialog title={`Delete ${deleted.name}`} action="Delete suite" onConfirm={onConfirm} onClose={() => setDeleted(null)}>
            Its evaluations stay, and no new one can be made by it.
          </ConfirmDialog>
        )}
        {gated && <GateDialog suite={gated} onClose={() => setGated(null)} />}
      </Suspense>
    </>
  );
}

const gradersOf = ({ graders }: SuiteView): string => graders.map(graderName).join(', ');

const columnsFor = (nameOf: (by: SuiteView['created_by']) => string): readonly Column<SuiteView>[] => [
  { id: 'name', title: 'Name', cell: ({ name }) => <Truncated text={name} />, value: ({ name }) => name, width: 180, pin: 'left' },
  {
    id: 'dataset',
    title: 'Data set',
    cell: ({ dataset_name: name, version, source_deleted: isGone }) => (
      <Truncated text={`${name} v${version}${isGone ? ' (deleted)' : ''}`} />
    ),
    value: ({ dataset_name: name, version }) => `${name} v${version}`,
    width: 160,
  },
  { id: 'sample', title: 'Items', cell: ({ sample }) => sample, value: ({ sample }) => sample, numeric: true },
  { id: 'graders', title: 'Graders', cell: (suite) => <Truncated text={gradersOf(suite)} />, value: gradersOf, width: 220 },
  {
    id: 'gate',
    title: 'Gate of',
    cell: ({ gate }) => (gate === null ? <Dash /> : <Truncated text={gate.adapter} />),
    value: ({ gate }) => gate?.adapter ?? null,
    width: 140,
  },
  {
    id: 'evaluations',
    title: 'Evaluations',
    cell: ({ evaluations }) => evaluations,
    value: ({ evaluations }) => evaluations,
    numeric: true,
  },
  creatorColumn(nameOf),
  momentColumn('created', 'Created', ({ created_at }) => created_at),
];
