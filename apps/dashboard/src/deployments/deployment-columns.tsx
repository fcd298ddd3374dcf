import type { DeploymentLoad, DeploymentView } from '@slipway/contracts';
import { engineFacts, engineKindOf, modelNameOf, sourceText } from '@slipway/contracts/engines';
import type { JSX } from 'react';
import { Sparkline } from '../charts/sparkline.js';
import { formatCount, formatMs, formatRate } from '../format/number.js';
import { Chip } from '../ui/chip.js';
import { Truncated } from '../ui/data-table/truncated.js';
import type { Column } from '../ui/data-table/types.js';
import { MeterBar } from '../ui/meter.js';
import { Moment } from '../ui/moment.js';
import { Dash } from '../ui/quantity.js';
import { Tooltip } from '../ui/tooltip.js';
import type { Sums } from '../usage/usage-range.js';
import { slugOf } from './inference-target.js';
import { StateBadge } from './state-badge.js';
import { STATES } from './state-words.js';

/** Of the hour over which the list sums up. */
const MINUTES = 60;

/** From this share of errors on, somebody should look. */
export const ERRORS_MANY = 0.01;

/** What the list knows of deployments beside their settings. */
export interface DeploymentFigures {
  /** Of the last hour; null while it is not known. */
  readonly hourOf: ((id: number) => Sums) | null;
  readonly loads: ReadonlyMap<number, DeploymentLoad>;
  /** Requests by hour. */
  readonly courses: ReadonlyMap<number, readonly number[]>;
}

/** The kind of engine that loads it. */
export const engineKindIn = ({ engine, source }: Pick<DeploymentView, 'engine' | 'source'>): string => engine ?? engineKindOf(source);

/** Share of requests that failed, from 0 to 1; null without requests. */
export const errorShare = ({ requests, errors }: Pick<Sums, 'requests' | 'errors'>): number | null =>
  requests === 0 ? null : errors / requests;

/** A share of errors with the digits that tell something: `0 %`, `0.4 %`, `12 %`. */
export function formatErrorShare(share: number): string {
  const percent = share * 100;
  if (percent === 0) return '0 %';
  if (percent < 0.1) return '<0.1 %';
  return `${percent < 10 ? percent.toFixed(1) : Math.round(percent)} %`;
}

/** The columns of the list. */
export function deploymentColumns({ hourOf: known, loads, courses }: DeploymentFigures): readonly Column<DeploymentView>[] {
  const hourOf = (id: number): Sums | null => known?.(id) ?? null;
  return [
    { id: 'name', title: 'Name', pin: 'left', width: 152, value: ({ name }) => name, cell: (row) => <NameCell deployment={row} /> },
    {
      id: 'status',
      title: 'Status',
      width: 124,
      card: 'status',
      value: ({ state }) => STATES[state].text,
      cell: (row) => <StateBadge deployment={row} withReplicas />,
    },
    {
      id: 'model',
      title: 'Model',
      width: 108,
      value: ({ source }) => modelNameOf(source),
      cell: ({ source }) => <Truncated text={modelNameOf(source)} cut="middle" />,
    },
    { id: 'aliases', title: 'Aliases', width: 86, value: aliasText, cell: (row) => <AliasCell aliases={row.aliases} /> },
    {
      id: 'load',
      title: 'In flight',
      width: 96,
      value: ({ id }) => loads.get(id)?.in_flight ?? null,
      cell: (row) => <LoadCell load={loads.get(row.id)} name={row.name} />,
    },
    {
      id: 'rate',
      title: 'Req/min',
      numeric: true,
      width: 92,
      card: 'figure',
      value: ({ id }) => hourOf(id)?.requests ?? null,
      cell: ({ id }) => <RateCell hour={hourOf(id)} course={courses.get(id)} />,
    },
    ...latencyColumns(hourOf),
    {
      id: 'updated',
      title: 'Updated',
      width: 102,
      value: ({ updated_at: at, created_at: created }) => at ?? created ?? null,
      cell: ({ updated_at: at, created_at: created = at }) => ((at ?? created) ? <Moment at={at ?? created ?? ''} /> : <Dash />),
    },
    ...HIDDEN,
  ];
}

const aliasText = ({ aliases }: DeploymentView): string | null => (aliases.length === 0 ? null : aliases.join(' '));

const latencyColumns = (hourOf: (id: number) => Sums | null): readonly Column<DeploymentView>[] => [
  {
    id: 'ttft',
    title: 'TTFT p95',
    numeric: true,
    width: 96,
    value: ({ id }) => hourOf(id)?.latency?.ttft_ms?.p95 ?? null,
    cell: ({ id }) => {
      const p95 = hourOf(id)?.latency?.ttft_ms?.p95;
      return p95 === undefined ? <Dash /> : formatMs(p95);
    },
  },
  {
    id: 'errors',
    title: 'Errors',
    numeric: true,
    width: 76,
    value: ({ id }) => errorShare(hourOf(id) ?? { requests: 0, errors: 0 }),
    cell: ({ id }) => {
      const share = errorShare(hourOf(id) ?? { requests: 0, errors: 0 });
      if (share === null) return <Dash />;
      return <span className={share >= ERRORS_MANY ? 'font-medium text-bad' : ''}>{formatErrorShare(share)}</span>;
    },
  },
];

const HIDDEN: readonly Column<DeploymentView>[] = [
  { id: 'slug', title: 'Slug', width: 128, hidden: true, value: slugOf, cell: (row) => <span className="font-mono">{slugOf(row)}</span> },
  {
    id: 'replicas',
    title: 'Replicas',
    numeric: true,
    hidden: true,
    value: ({ replicas }) => replicas,
    cell: ({ replicas, ready_replicas: ready }) => `${ready}/${replicas}`,
  },
  {
    id: 'engine',
    title: 'Engine',
    hidden: true,
    value: (row) => engineFacts(engineKindIn(row))?.title ?? engineKindIn(row),
    cell: (row) => <Truncated text={engineFacts(engineKindIn(row))?.title ?? engineKindIn(row)} />,
  },
  {
    id: 'source',
    title: 'Source',
    width: 200,
    hidden: true,
    value: ({ source }) => sourceText(source),
    cell: ({ source }) => <Truncated text={sourceText(source)} cut="middle" />,
  },
  { id: 'revision', title: 'Revision', numeric: true, hidden: true, value: ({ rev }) => rev, cell: ({ rev }) => rev },
  {
    id: 'created',
    title: 'Created',
    hidden: true,
    value: ({ created_at: at }) => at ?? null,
    cell: ({ created_at: at }) => (at === undefined ? <Dash /> : <Moment at={at} />),
  },
];

function NameCell({ deployment }: { readonly deployment: DeploymentView }): JSX.Element {
  const { name } = deployment;
  return (
    <span className="grid min-w-0">
      <span title={name} className="truncate leading-4.5">
        {name}
      </span>
      <span className="truncate font-mono text-[0.6875rem] leading-3.5 font-normal text-muted">{slugOf(deployment)}</span>
    </span>
  );
}

function AliasCell({ aliases }: { readonly aliases: readonly string[] }): JSX.Element {
  const [first, ...more] = aliases;
  if (first === undefined) return <Dash />;
  return (
    <span className="flex min-w-0 items-center gap-1">
      <Chip mono text={first} />
      {more.length > 0 && (
        <Tooltip text={more.join(', ')}>
          <span className="shrink-0 text-xs text-muted">
            +{more.length}
            <span className="sr-only">: {more.join(', ')}</span>
          </span>
        </Tooltip>
      )}
    </span>
  );
}

/** Requests in flight of the slots there are: `2 / 4`, and how many wait. */
export const loadText = ({ in_flight: used, slots, queued }: Pick<DeploymentLoad, 'in_flight' | 'slots' | 'queued'>): string =>
  `${formatCount(used)} / ${formatCount(slots)}${queued > 0 ? ` +${formatCount(queued)}` : ''}`;

/** The same for screen readers. */
export const loadWords = ({ in_flight: used, slots, queued }: Pick<DeploymentLoad, 'in_flight' | 'slots' | 'queued'>): string =>
  `${formatCount(used)} of ${formatCount(slots)} slots in use, ${formatCount(queued)} queued`;

function LoadCell({ load, name }: { readonly load: DeploymentLoad | undefined; readonly name: string }): JSX.Element {
  if (!load || (load.slots === 0 && load.in_flight === 0)) return <Dash />;
  return (
    <div className="w-15 *:min-w-0">
      <MeterBar label={`Slots of ${name}`} used={load.in_flight} limit={load.slots} text={loadText(load)} words={loadWords(load)} />
    </div>
  );
}

function RateCell({ hour, course }: { readonly hour: Sums | null; readonly course: readonly number[] | undefined }): JSX.Element {
  if (!hour) return <Dash />;
  return (
    <span className="flex items-center justify-end gap-1.5">
      {course && (
        <Tooltip text={`Requests by hour, last ${course.length} h`}>
          <span className="flex">
            <Sparkline values={course} width={36} height={20} />
          </span>
        </Tooltip>
      )}
      <span className="min-w-7 text-right">{formatRate(hour.requests / MINUTES)}</span>
    </span>
  );
}
