import { formatCount } from '../format/number.js';
import { announce } from '../ui/announcements.js';
import { Truncated } from '../ui/data-table/truncated.js';
import type { Column, RowAction } from '../ui/data-table/types.js';
import { Status } from '../ui/status.js';

/** A made-up deployment. */
export interface Sample {
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

/** Made-up deployments, the same each time. @param longNames each name as long as a name may be */
export const samples = (count: number, longNames = false): readonly Sample[] =>
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
export const WORDS = { ready: 'Ready', failed: 'Failed', stopped: 'Stopped' } as const;

export const COLUMNS: readonly Column<Sample>[] = [
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

export const actionsOf = ({ name }: Sample): readonly RowAction[] => [
  { label: 'Rename', onSelect: () => announce(`Renamed ${name}`) },
  { label: 'Delete', danger: true, onSelect: () => announce(`Deleted ${name}`) },
];
export const keyOf = ({ id }: Sample): number => id;
export const nameOf = ({ name }: Sample): string => name;
export const hrefOf = ({ id }: Sample): string => `/gallery.html?part=data-table&opened=${id}`;
