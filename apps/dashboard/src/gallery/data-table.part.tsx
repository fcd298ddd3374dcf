import { type JSX, useState } from 'react';
import { formatCount } from '../format/number.js';
import { announce } from '../ui/announcements.js';
import { DataTable } from '../ui/data-table/data-table.js';
import { Truncated } from '../ui/data-table/truncated.js';
import type { BulkAction, Column, Facet, RowAction } from '../ui/data-table/types.js';
import { Status } from '../ui/status.js';
import { tableSearch } from '../url-state/table-search.js';
import { useUrlState } from '../url-state/use-url-state.js';
import { Example } from './example.js';
import type { Part } from './part.js';

interface Sample {
  readonly id: number;
  readonly name: string;
  readonly model: string;
  readonly status: 'ready' | 'failed' | 'stopped';
  readonly owner: string;
  readonly requests: number;
  readonly latency: number | null;
}

const STATUSES = ['ready', 'ready', 'ready', 'failed', 'stopped'] as const;
const MODELS = ['qwen2.5-7b-instruct', 'llama-3.1-8b-instruct', 'mistral-small-24b', 'gemma-3-12b', 'phi-4'] as const;
const LONG = 'a-deployment-whose-name-takes-every-one-of-the-characters-that-it-may-have-'.repeat(2).slice(0, 100);

const samples = (count: number, longNames = false): readonly Sample[] =>
  Array.from({ length: count }, (_, index) => ({
    id: index + 1,
    name: longNames ? `${index} ${LONG}` : `Website ${index + 1}`,
    model: longNames ? `library/${LONG}-Q4_K_M.gguf` : (MODELS[index % MODELS.length] ?? 'phi-4'),
    status: STATUSES[index % STATUSES.length] ?? 'ready',
    owner: longNames ? LONG : `person-${index % 12}@example.com`,
    requests: (index * 7_919) % 100_000,
    latency: index % 10 === 9 ? null : (index * 37) % 900,
  }));

const LOOKS = { ready: 'good', failed: 'bad', stopped: 'plain' } as const;
const WORDS = { ready: 'Ready', failed: 'Failed', stopped: 'Stopped' } as const;

const COLUMNS: readonly Column<Sample>[] = [
  { id: 'name', title: 'Name', pin: 'left', value: ({ name }) => name, cell: ({ name }) => <Truncated text={name} /> },
  { id: 'model', title: 'Model', width: 180, value: ({ model }) => model, cell: ({ model }) => <Truncated text={model} cut="middle" /> },
  {
    id: 'status',
    title: 'Status',
    card: 'status',
    value: ({ status }) => status,
    cell: ({ status }) => <Status look={LOOKS[status]} text={WORDS[status]} />,
  },
  { id: 'owner', title: 'Owner', width: 160, value: ({ owner }) => owner, cell: ({ owner }) => <Truncated text={owner} /> },
  {
    id: 'requests',
    title: 'Requests',
    numeric: true,
    card: 'figure',
    value: ({ requests }) => requests,
    cell: ({ requests }) => formatCount(requests),
  },
  {
    id: 'latency',
    title: 'TTFT p95',
    numeric: true,
    value: ({ latency }) => latency,
    cell: ({ latency }) => (latency === null ? '–' : `${latency} ms`),
  },
  { id: 'number', title: 'Number', numeric: true, hidden: true, value: ({ id }) => id, cell: ({ id }) => id },
];

const FACETS: readonly Facet<Sample>[] = [
  { id: 'status', title: 'Status', of: ({ status }) => [status], words: (value) => WORDS[value as Sample['status']] ?? value },
  { id: 'owner', title: 'Owner', of: ({ owner }) => [owner] },
];
const BULK: readonly BulkAction<Sample>[] = [
  {
    label: 'Stop',
    onSelect: (rows, clear) => {
      announce(`Stopped ${rows.length}`);
      clear();
    },
  },
  { label: 'Delete', danger: true, onSelect: (rows) => announce(`Deleted ${rows.length}`) },
];
const actionsOf = ({ name }: Sample): readonly RowAction[] => [
  { label: 'Rename', onSelect: () => announce(`Renamed ${name}`) },
  { label: 'Delete', danger: true, onSelect: () => announce(`Deleted ${name}`) },
];
const keyOf = ({ id }: Sample): number => id;
const nameOf = ({ name }: Sample): string => name;
const hrefOf = ({ id }: Sample): string => `/gallery.html?part=data-table&opened=${id}`;

const MANY = samples(500);
const manySearch = tableSearch({ facets: ['status', 'owner'] });
const PART_LENGTH = 20;

function Many(): JSX.Element {
  const state = useUrlState(manySearch);
  return (
    <DataTable
      label="Deployments"
      rows={MANY}
      columns={COLUMNS}
      {...{ keyOf, nameOf, state }}
      facets={FACETS}
      rowHref={hrefOf}
      rowActions={actionsOf}
      bulkActions={BULK}
      empty={null}
    />
  );
}

const LONGEST = samples(4, true);
const longSearch = tableSearch({ prefix: 'long-' });

function Longest(): JSX.Element {
  const state = useUrlState(longSearch);
  return (
    <DataTable
      label="Longest names"
      rows={LONGEST}
      columns={COLUMNS}
      {...{ keyOf, nameOf, state }}
      rowHref={hrefOf}
      rowActions={actionsOf}
      empty={null}
    />
  );
}

const partSearch = tableSearch({ prefix: 'part-' });

function InParts(): JSX.Element {
  const state = useUrlState(partSearch);
  const [count, setCount] = useState(PART_LENGTH);
  const onMore = (): void => setCount(count + PART_LENGTH);
  return (
    <DataTable
      label="Audit log"
      rows={MANY.slice(0, count)}
      columns={COLUMNS}
      {...{ keyOf, nameOf, state }}
      onOpen={({ name }) => announce(`Opened ${name}`)}
      more={{ has: count < 3 * PART_LENGTH, isLoading: false, onMore }}
      empty={null}
    />
  );
}

function Examples(): JSX.Element {
  return (
    <>
      <Example title="Five hundred rows">
        <div className="w-full">
          <Many />
        </div>
      </Example>
      <Example title="The longest names">
        <div className="w-full">
          <Longest />
        </div>
      </Example>
      <Example title="Loaded in parts">
        <div className="w-full">
          <InParts />
        </div>
      </Example>
    </>
  );
}

export default { title: 'Data table', Examples } satisfies Part;
