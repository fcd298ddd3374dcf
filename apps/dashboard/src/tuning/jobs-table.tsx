import type { JobView } from '@slipway/contracts';
import { Link } from '@tanstack/react-router';
import { type JSX, useMemo, useState } from 'react';
import { useActorNames } from '../activity/use-actor-names.js';
import { FINE_TUNING_SEARCH } from '../searches.js';
import { useAccount, useMayChange } from '../session/use-session.js';
import { buttonClass } from '../ui/button.js';
import { creatorColumn, momentColumn } from '../ui/data-table/columns.js';
import { DataTable } from '../ui/data-table/data-table.js';
import { Truncated } from '../ui/data-table/truncated.js';
import type { Column, Facet, RowAction } from '../ui/data-table/types.js';
import { EmptyState } from '../ui/empty-state.js';
import { Dash } from '../ui/quantity.js';
import { Status } from '../ui/status.js';
import { useUrlState } from '../url-state/use-url-state.js';
import { CancelJobDialog } from './cancel-job-dialog.js';
import { LOSS } from './job-curve.js';
import { actionsOf, formatSeconds, isOver, JOB_STATES, jobText } from './job-words.js';
import { useJobs } from './use-jobs.js';

const FACETS: readonly Facet<JobView>[] = [
  { id: 'state', title: 'State', of: ({ state }) => [state], words: (state) => JOB_STATES[state as JobView['state']]?.text ?? state },
  { id: 'base', title: 'Base', of: ({ base }) => [base] },
  { id: 'dataset', title: 'Data set', of: ({ dataset_name: name }) => [name] },
];

/** The jobs of the account. */
export function JobsTable(): JSX.Element {
  const { slug: account } = useAccount();
  const mayChange = useMayChange();
  const state = useUrlState(FINE_TUNING_SEARCH);
  const query = useJobs();
  const nameOf = useActorNames();
  const columns = useMemo(() => columnsFor(nameOf), [nameOf]);
  const [cancelled, setCancelled] = useState<JobView | null>(null);
  const rowActions = (job: JobView): readonly RowAction[] => [
    { label: 'Cancel', danger: true, disabled: !actionsOf(job).includes('cancel'), onSelect: () => setCancelled(job) },
  ];
  return (
    <>
      <DataTable
        label="Jobs"
        rows={query.data}
        {...{ query, state }}
        columns={columns}
        facets={FACETS}
        keyOf={({ id }) => id}
        nameOf={({ name }) => name}
        rowHref={({ id }) => `/${account}/fine-tuning/${id}`}
        {...(mayChange && { rowActions })}
        empty={
          <EmptyState
            title="No jobs yet"
            icon="train"
            command="npx slipway tune BASE train.jsonl --deploy ALIAS --wait"
            action={
              <Link to="/$account/data-sets" params={{ account }} className={buttonClass('plain')}>
                Choose a data set
              </Link>
            }
          >
            A job teaches a base model the conversations of a data set. Begin with a data set.
          </EmptyState>
        }
      />
      {cancelled && <CancelJobDialog job={cancelled} onClose={() => setCancelled(null)} />}
    </>
  );
}

/** Seconds that a job still takes; null where that is not known, or it is over. */
const leftOf = (job: JobView): number | null => (isOver(job) ? null : job.eta_s);

const columnsFor = (nameOf: (by: JobView['created_by']) => string): readonly Column<JobView>[] => [
  { id: 'name', title: 'Name', cell: ({ name }) => <Truncated text={name} />, value: ({ name }) => name, width: 180, pin: 'left' },
  {
    id: 'state',
    title: 'State',
    cell: (job) => <Status look={JOB_STATES[job.state].look} text={jobText(job)} />,
    value: ({ state }) => JOB_STATES[state].text,
    width: 150,
    card: 'status',
  },
  { id: 'base', title: 'Base', cell: ({ base }) => <Truncated text={base} cut="middle" />, value: ({ base }) => base, width: 150 },
  {
    id: 'dataset',
    title: 'Data set',
    cell: ({ dataset_name: name, version }) => <Truncated text={`${name} v${version}`} />,
    value: ({ dataset_name: name, version }) => `${name} v${version}`,
    width: 150,
  },
  {
    id: 'loss',
    title: 'Held-out loss',
    cell: ({ held_loss: loss }) => (loss === null ? <Dash /> : LOSS.format(loss)),
    value: ({ held_loss: loss }) => loss,
    width: 118,
    numeric: true,
  },
  {
    id: 'eta',
    title: 'Left',
    cell: (job) => (leftOf(job) === null ? <Dash /> : formatSeconds(leftOf(job) ?? 0)),
    value: leftOf,
    numeric: true,
  },
  {
    id: 'verdict',
    title: 'Verdict',
    cell: ({ passed }) => {
      if (passed === null) return <Dash />;
      return passed ? <Status look="good" text="Passed" /> : <Status look="warn" text="Not passed" />;
    },
    value: ({ passed }) => (passed === null ? null : String(passed)),
    width: 110,
  },
  creatorColumn(nameOf),
  { ...momentColumn('created', 'Created', ({ created_at }) => created_at), card: 'figure' },
];
