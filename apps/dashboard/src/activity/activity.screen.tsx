import type { AuditEntry } from '@slipway/contracts';
import { type JSX, lazy, Suspense, useMemo } from 'react';
import { useEveryMember } from '../api/lists.js';
import { codeOf } from '../api/console-error.js';
import { formatExact } from '../format/time.js';
import { type TimeZone, useTimeZone } from '../format/time-zone.js';
import { clientName } from '../people/client-name.js';
import { ACTIVITY_SEARCH, ENTRIES_SEARCH } from '../searches.js';
import { DataTable } from '../ui/data-table/data-table.js';
import { searchTextOf, wordsOf } from '../ui/data-table/table-model.js';
import type { Column } from '../ui/data-table/types.js';
import { EmptyState } from '../ui/empty-state.js';
import { ExportMenu } from '../ui/export-menu.js';
import { type Filter, FilterBar } from '../ui/lazy-filter-bar.js';
import { Notice } from '../ui/notice.js';
import { Page } from '../ui/page.js';
import { RangePicker } from '../ui/range-picker.js';
import { Tabs } from '../ui/tabs.js';
import { useNow } from '../ui/use-now.js';
import { type UrlState, useUrlState } from '../url-state/use-url-state.js';
import { activityCsv, activityJson } from './activity-file.js';
import { type ActivityState, questionOf } from './activity-filters.js';
import { type TargetNames, targetOf } from './activity-target.js';
import { actionsOf, actionWords, actorOf, doneOf, factsOf } from './activity-words.js';
import { TargetLink } from './target-link.js';
import { type Log, useEntries, useTargetNames } from './use-entries.js';

const EntryDrawer = lazy(() => import('./entry-drawer.js').then((module) => ({ default: module.EntryDrawer })));

/** Kinds of actions in each log. */
const KINDS: Readonly<Record<Log, readonly string[]>> = {
  account: ['key', 'mcp_key', 'member', 'invitation', 'session', 'password', 'user', 'account', 'playground', 'call'],
  deployments: ['deployment', 'alias', 'engine', 'quotas', 'call'],
  tuning: ['dataset', 'job', 'adapter', 'suite', 'evaluation', 'quotas', 'call'],
};

const EMPTY: Readonly<Record<Log, string>> = {
  account: 'Sign-ins and changes of keys and members appear here.',
  deployments: 'Changes of deployments and aliases appear here.',
  tuning: 'Changes of data sets, training jobs, adapters and evaluations appear here.',
};

const TABS = [
  { value: 'account', label: 'Keys and people' },
  { value: 'deployments', label: 'Deployments' },
  { value: 'tuning', label: 'Data sets and training' },
] as const;

/** Who did what in the account, and to what. Entries are never changed. */
export function ActivityScreen(): JSX.Element {
  const url = useUrlState(ACTIVITY_SEARCH);
  const [state, set] = url;
  return (
    <Page title="Activity">
      <Tabs
        label="Log"
        value={state.tab}
        onChange={(tab) => set({ tab, action: '', object: '', open: 0 }, { push: true })}
        items={TABS.map(({ value, label }) => ({ value, label, content: <Entries log={value} url={url} /> }))}
      />
    </Page>
  );
}

interface EntriesProps {
  readonly log: Log;
  readonly url: UrlState<ActivityState>;
}

function Entries({ log, url }: EntriesProps): JSX.Element {
  const [state, set] = url;
  const names = useTargetNames();
  const zone = useTimeZone();
  const table = useUrlState(ENTRIES_SEARCH);
  const question = questionOf(state, useNow());
  const query = useEntries(log, question);
  const columns = useMemo(() => columnsFor(zone, names), [zone, names]);
  if (codeOf(query.error) === 'not_permitted') return <Notice look="info">Only owners of the account can read its activity.</Notice>;
  const isFiltered = state.actor !== '' || state.action !== '' || state.object !== '';
  const seen = (): readonly AuditEntry[] => {
    const words = wordsOf(table[0].q);
    return (query.data ?? []).filter((entry) => words.every((word) => searchTextOf(columns, entry).includes(word)));
  };
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-3">
      <div className="flex flex-wrap items-center gap-2">
        <RangePicker state={url} />
        <ActivityFilterBar log={log} url={url} />
      </div>
      <DataTable
        label="Activity"
        rows={query.data}
        {...{ columns, query }}
        keyOf={({ id }) => id}
        nameOf={(entry) => `${actorOf(entry, names.person)} ${doneOf(entry)}`}
        state={table}
        onOpen={({ id }) => set({ open: id }, { push: true })}
        more={{ has: query.hasNextPage, isLoading: query.isFetchingNextPage, onMore: () => void query.fetchNextPage() }}
        actions={
          <ExportMenu name={`slipway-activity-${log}`} csv={() => activityCsv(seen())} json={() => activityJson(seen(), question)} />
        }
        empty={
          <EmptyState icon="activity" title={isFiltered ? 'No matching activity' : 'No activity in this range'}>
            {EMPTY[log]}
          </EmptyState>
        }
      />
      {state.open !== 0 && (
        <Suspense>
          <EntryDrawer entry={query.data?.find(({ id }) => id === state.open) ?? null} names={names} onClose={() => set({ open: 0 })} />
        </Suspense>
      )}
    </div>
  );
}

function ActivityFilterBar({ log, url: [state, set] }: EntriesProps): JSX.Element {
  const { data: members = [] } = useEveryMember();
  const emails = useMemo(() => new Map(members.map(({ user, email }) => [`user:${user}`, email])), [members]);
  const filters: readonly Filter[] = [
    {
      ...{ id: 'actor', title: 'Who', values: [...emails.keys(), 'key', 'ops'], isFree: true },
      words: (actor) => emails.get(actor) ?? { key: 'Any key', ops: 'Operator' }[actor] ?? actor,
    },
    { id: 'action', title: 'Action', values: actionsOf(KINDS[log]), words: actionWords },
    { id: 'object', title: 'Object, such as key:12', values: [], isFree: true },
  ];
  const listed = (text: string): readonly string[] => (text === '' ? [] : [text]);
  return (
    <div className="min-w-64 flex-1">
      <FilterBar
        label="Filter activity"
        example="action:key.rotate"
        filters={filters}
        chosen={{ actor: listed(state.actor), action: listed(state.action), object: listed(state.object) }}
        onChange={({ actor = [], action = [], object = [] }) =>
          set({ actor: actor.at(-1) ?? '', action: action.at(-1) ?? '', object: object.at(-1) ?? '' }, { push: true })
        }
      />
    </div>
  );
}

const columnsFor = (zone: TimeZone, names: TargetNames): readonly Column<AuditEntry>[] => [
  {
    ...{ id: 'time', title: zone === 'utc' ? 'Time (UTC)' : 'Time (local)', width: 176, pin: 'left' as const },
    cell: ({ at }) => (
      <time dateTime={at} className="font-normal tabular-nums">
        {formatExact(at, zone).slice(0, 19)}
      </time>
    ),
    value: ({ at }) => at,
  },
  {
    ...{ id: 'who', title: 'Who', width: 130, card: 'status' as const },
    cell: (entry) => <span title={entry.actor_name ?? undefined}>{actorOf(entry, names.person)}</span>,
    value: (entry) => `${actorOf(entry, names.person)} ${entry.actor_name ?? ''}`,
  },
  { id: 'what', title: 'Action', width: 190, card: 'figure', cell: doneOf, value: (entry) => `${doneOf(entry)} ${entry.action}` },
  {
    ...{ id: 'target', title: 'Target', width: 150 },
    cell: (entry) => <TargetLink {...{ entry, names }} />,
    value: (entry) => targetOf(entry, names)?.text ?? '',
  },
  {
    ...{ id: 'details', title: 'Details', width: 150 },
    cell: (entry) => <span title={factsOf(entry)}>{factsOf(entry) || '–'}</span>,
    value: factsOf,
  },
  { id: 'address', title: 'Address', width: 100, cell: ({ address }) => address ?? '–', value: ({ address }) => address },
  {
    ...{ id: 'client', title: 'Client', width: 124 },
    cell: ({ client }) => <span title={client ?? undefined}>{client === null ? '–' : clientName(client)}</span>,
    value: ({ client }) => (client === null ? null : clientName(client)),
  },
];
