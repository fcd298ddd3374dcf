import type { EvaluationView } from '@slipway/contracts';
import { type JSX, useMemo } from 'react';
import { useActorNames } from '../activity/use-actor-names.js';
import { EVALUATIONS_SEARCH } from '../searches.js';
import { useAccount, useMayChange } from '../session/use-session.js';
import { Button } from '../ui/button.js';
import { creatorColumn, momentColumn } from '../ui/data-table/columns.js';
import { DataTable } from '../ui/data-table/data-table.js';
import { Truncated } from '../ui/data-table/truncated.js';
import type { Column, Facet } from '../ui/data-table/types.js';
import { EmptyState } from '../ui/empty-state.js';
import { Dash } from '../ui/quantity.js';
import { Status } from '../ui/status.js';
import { useUrlState } from '../url-state/use-url-state.js';
import { EVALUATION_STATES, headline, isOver } from './evaluation-words.js';
import { useEvaluations } from './use-evaluations.js';

const FACETS: readonly Facet<EvaluationView>[] = [
  {
    id: 'state',
    title: 'State',
    of: ({ state }) => [state],
    words: (state) => EVALUATION_STATES[state as EvaluationView['state']]?.text ?? state,
  },
  { id: 'suite', title: 'Suite', of: ({ suite_name: name }) => [name] },
];

export interface EvaluationsTableProps {
  readonly hasSuites: boolean;
  /** Begins with what is missing: a suite, or an evaluation. */
  readonly onNew: () => void;
}

/** The evaluations of the account. */
export function EvaluationsTable({ hasSuites, onNew }: EvaluationsTableProps): JSX.Element {
  const { slug: account } = useAccount();
  const mayChange = useMayChange();
  const state = useUrlState(EVALUATIONS_SEARCH);
  const query = useEvaluations();
  const nameOf = useActorNames();
  const columns = useMemo(() => columnsFor(nameOf), [nameOf]);
  return (
    <DataTable
      label="Evaluations"
      rows={query.data}
      {...{ query, state }}
      columns={columns}
      facets={FACETS}
      keyOf={({ id }) => id}
      nameOf={({ id, suite_name: suite }) => `${suite} ${id}`}
      rowHref={({ id }) => `/${account}/evaluations/${id}`}
      empty={
        <EmptyState
          title="No evaluations yet"
          icon="evaluate"
          command="npx slipway evals run SUITE BASELINE DEPLOYMENT --wait"
          action={mayChange && <Button onClick={onNew}>{hasSuites ? 'Compare deployments' : 'Make a suite'}</Button>}
        >
          {hasSuites
            ? 'Run a suite over two deployments: the first one is the baseline.'
            : 'Begin with a suite: a data set whose last answers are the reference, and graders that decide which answers pass.'}
        </EmptyState>
      }
    />
  );
}

const namesOf = ({ deployments }: EvaluationView): string => deployments.map(({ name }) => name).join(', ');

const columnsFor = (nameOf: (by: EvaluationView['created_by']) => string): readonly Column<EvaluationView>[] => [
  { id: 'id', title: 'Number', cell: ({ id }) => id, value: ({ id }) => id, numeric: true },
  {
    id: 'suite',
    title: 'Suite',
    cell: ({ suite_name: name }) => <Truncated text={name} />,
    value: ({ suite_name: name }) => name,
    width: 160,
  },
  {
    id: 'state',
    title: 'State',
    cell: (row) => (
      <Status {...EVALUATION_STATES[row.state]} text={isOver(row) ? EVALUATION_STATES[row.state].text : `${row.done} of ${row.total}`} />
    ),
    value: ({ state }) => EVALUATION_STATES[state].text,
    width: 130,
    card: 'status',
  },
  { id: 'deployments', title: 'Deployments', cell: (row) => <Truncated text={namesOf(row)} />, value: namesOf, width: 220 },
  {
    id: 'result',
    title: 'Result',
    cell: (row) => {
      const text = headline(row);
      return text === null ? <Dash /> : <Truncated text={text} />;
    },
    value: headline,
    width: 190,
  },
  creatorColumn(nameOf),
  { ...momentColumn('created', 'Created', ({ created_at }) => created_at), card: 'figure' },
];
