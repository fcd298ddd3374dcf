import type { DatasetView } from '@slipway/contracts';
import { useNavigate } from '@tanstack/react-router';
import { type JSX, useMemo, useState } from 'react';
import { useActorNames } from '../activity/use-actor-names.js';
import { messageOf } from '../api/console-error.js';
import { useChange } from '../api/use-call.js';
import { formatCount, plural } from '../format/number.js';
import { DATA_SETS_SEARCH } from '../searches.js';
import { useAccount, useMayChange } from '../session/use-session.js';
import { announce } from '../ui/announcements.js';
import { Button } from '../ui/button.js';
import { creatorColumn, momentColumn } from '../ui/data-table/columns.js';
import { DataTable } from '../ui/data-table/data-table.js';
import { Truncated } from '../ui/data-table/truncated.js';
import type { Column, Facet } from '../ui/data-table/types.js';
import { EmptyState } from '../ui/empty-state.js';
import { Page } from '../ui/page.js';
import { Dash, Quantity } from '../ui/quantity.js';
import { Status } from '../ui/status.js';
import { useUrlState } from '../url-state/use-url-state.js';
import { CreateDatasetDialog, SAMPLE_NAME } from './create-dataset-dialog.js';
import { freeName } from './tuning-name.js';
import { FileDrop } from './upload/file-drop.js';
import { useDatasets } from './use-datasets.js';
import { datasetState, KINDS, VERSION_STATES } from './version-words.js';

const FACETS: readonly Facet<DatasetView>[] = [
  {
    id: 'state',
    title: 'State',
    of: ({ head }) => [head?.state ?? 'empty'],
    words: (state) => VERSION_STATES[state as keyof typeof VERSION_STATES]?.text ?? 'Empty',
  },
  { id: 'kind', title: 'Kind', of: ({ kind }) => [kind], words: (kind) => KINDS[kind as DatasetView['kind']] ?? kind },
];

/** The data sets of the account. */
export function DataSetsScreen(): JSX.Element {
  const { slug: account } = useAccount();
  const mayChange = useMayChange();
  const navigate = useNavigate();
  const state = useUrlState(DATA_SETS_SEARCH);
  const query = useDatasets();
  const nameOf = useActorNames();
  const columns = useMemo(() => columnsFor(nameOf), [nameOf]);
  const [create, setCreate] = useState<{ readonly file?: File } | null>(null);
  const taken = useMemo(() => (query.data ?? []).map(({ name }) => name), [query.data]);
  const show = (name: string): void => void navigate({ to: '/$account/data-sets/$name', params: { account, name } });
  const open = (file?: File): void => setCreate(file ? { file } : {});
  const list = (
    <DataTable
      label="Data sets"
      rows={query.data}
      {...{ query, state }}
      columns={columns}
      facets={FACETS}
      keyOf={({ id }) => id}
      nameOf={({ name }) => name}
      rowHref={({ name }) => `/${account}/data-sets/${name}`}
      empty={<NoDataSets onNew={() => open()} onSample={show} mayChange={mayChange} />}
    />
  );
  return (
    <Page
      title="Data sets"
      about="Conversations to fine-tune models on. A version never changes: every edit makes the next one."
      actions={
        mayChange && (
          <Button look="main" icon="plus" data-shortcut="create" onClick={() => open()}>
            New data set
          </Button>
        )
      }
    >
      {mayChange ? <FileDrop onFile={open}>{list}</FileDrop> : list}
      {create && <CreateDatasetDialog file={create.file} taken={taken} onClose={() => setCreate(null)} onCreated={show} />}
    </Page>
  );
}

interface NoDataSetsProps {
  readonly onNew: () => void;
  readonly onSample: (name: string) => void;
  readonly mayChange: boolean;
}

function NoDataSets({ onNew, onSample, mayChange }: NoDataSetsProps): JSX.Element {
  const create = useChange('datasets/create', ['datasets/']);
  const fill = useChange('versions/add-sample', ['datasets/']);
  const trySample = async (): Promise<void> => {
    const name = freeName(SAMPLE_NAME, []);
    const { dataset } = await create.mutateAsync({ name });
    await fill.mutateAsync({ dataset });
    onSample(name);
  };
  return (
    <EmptyState
      title="No data sets yet"
      icon="data"
      command="npx slipway datasets push train.jsonl"
      action={
        mayChange && (
          <>
            <Button icon="upload" onClick={onNew}>
              Upload a file
            </Button>
            <Button
              look="quiet"
              icon="sparkles"
              busy={create.isPending || fill.isPending}
              onClick={() => void trySample().catch((error: unknown) => announce(messageOf(error), 'bad'))}
            >
              Try the sample
            </Button>
          </>
        )
      }
    >
      {mayChange
        ? 'Drop a training file here: JSONL or CSV, also compressed. A file for OpenAI fine-tuning works as it is.'
        : 'Members and owners of the account upload training files here.'}
    </EmptyState>
  );
}

const columnsFor = (nameOf: (by: DatasetView['created_by']) => string): readonly Column<DatasetView>[] => [
  { id: 'name', title: 'Name', cell: ({ name }) => <Truncated text={name} />, value: ({ name }) => name, width: 200, pin: 'left' },
  { id: 'kind', title: 'Kind', cell: ({ kind }) => KINDS[kind], value: ({ kind }) => KINDS[kind], width: 100 },
  {
    id: 'state',
    title: 'State',
    cell: (row) => <Status {...datasetState(row)} />,
    value: (row) => datasetState(row).text,
    width: 140,
    card: 'status',
  },
  {
    id: 'versions',
    title: 'Versions',
    cell: ({ versions }) => formatCount(versions),
    value: ({ versions }) => versions,
    numeric: true,
  },
  {
    id: 'examples',
    title: 'Examples',
    cell: ({ head }) => <Quantity kind="count" value={head?.examples ?? null} />,
    value: ({ head }) => head?.examples ?? null,
    numeric: true,
    card: 'figure',
  },
  {
    id: 'size',
    title: 'Size',
    cell: ({ head }) => <Quantity kind="bytes" value={head?.bytes ?? null} />,
    value: ({ head }) => head?.bytes ?? null,
    numeric: true,
    hidden: true,
  },
  {
    id: 'jobs',
    title: 'Used by',
    cell: ({ jobs }) => (jobs === 0 ? <Dash /> : plural(jobs, 'job')),
    value: ({ jobs }) => jobs,
    numeric: true,
  },
  creatorColumn(nameOf),
  momentColumn('changed', 'Changed', ({ changed_at }) => changed_at),
];
