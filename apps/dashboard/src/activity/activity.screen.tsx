import type { AuditEntry } from '@slipway/contracts';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { type JSX, useState } from 'react';
import { codeOf, messageOf } from '../api/console-error.js';
import { call } from '../api/use-call.js';
import { formatUtc } from '../format/time.js';
import { Button } from '../ui/button.js';
import { Notice } from '../ui/notice.js';
import { Empty, Page } from '../ui/page.js';
import { type Column, Table } from '../ui/table.js';
import { Tabs } from '../ui/tabs.js';
import { clientName } from '../people/client-name.js';
import { readMemberEmails } from '../people/member-emails.js';
import { actorOf, doneOf, factsOf, objectOf } from './activity-words.js';

/** Whose log: that of keys and people, or that of deployments and aliases. */
type AuditKind = 'people' | 'deployments';
const CALLS = { people: 'audit/list', deployments: 'deployment-audit/list' } as const;

const columnsOf = (nameOf: (user: number) => string | undefined): readonly Column<AuditEntry>[] => [
  {
    title: 'When',
    cell: ({ at }) => (
      <time dateTime={at} className="whitespace-nowrap tabular-nums">
        {formatUtc(at)}
      </time>
    ),
  },
  {
    title: 'What',
    cell: (entry) => (
      <div className="min-w-0">
        <span className="font-semibold break-words">{actorOf(entry, nameOf)}</span> {doneOf(entry)}{' '}
        <span className="font-semibold break-words">{objectOf(entry)}</span>
        {factsOf(entry) !== '' && <div className="text-sm break-words text-muted">{factsOf(entry)}</div>}
      </div>
    ),
  },
  { title: 'From', cell: ({ address }) => address ?? '–' },
  { title: 'With', cell: ({ client }) => <span title={client ?? undefined}>{client === null ? '–' : clientName(client)}</span> },
];

/** What people, keys and operators did in the account. Entries are never changed. */
export function ActivityScreen(): JSX.Element {
  const [kind, setKind] = useState<AuditKind>('people');
  return (
    <Page title="Activity" about="Who did what in this account. Times are UTC.">
      <Tabs
        label="What the activity is about"
        value={kind}
        onChange={setKind}
        items={[
          {
            value: 'people',
            label: 'Keys and people',
            content: <Log of="people" nothing="Sign-ins and changes of keys and people appear here." />,
          },
          {
            value: 'deployments',
            label: 'Deployments',
            content: <Log of="deployments" nothing="Changes of deployments and aliases appear here." />,
          },
        ]}
      />
    </Page>
  );
}

function Log({ of, nothing }: { readonly of: AuditKind; readonly nothing: string }): JSX.Element {
  const log = useInfiniteQuery({
    queryKey: ['audit', of],
    queryFn: ({ pageParam }) => call(CALLS[of], pageParam === undefined ? {} : { before: pageParam }),
    initialPageParam: undefined as number | undefined,
    getNextPageParam: ({ next }) => next ?? undefined,
    refetchInterval: 15_000,
  });
  const emails = useQuery({ queryKey: ['members/names'], queryFn: () => readMemberEmails() });
  const nameOf = (user: number): string | undefined => emails.data?.get(user);
  const entries = log.data?.pages.flatMap(({ entries: page }) => page) ?? [];
  const again = <Button onClick={() => void log.refetch()}>Try again</Button>;
  const mayNot = codeOf(log.error) === 'not_permitted';
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
      {mayNot && <Notice look="info">Only owners of the account read its activity.</Notice>}
      {log.isError && !mayNot && (
        <Notice look={log.data ? 'warn' : 'bad'} action={again}>
          {messageOf(log.error)}
        </Notice>
      )}
      {log.isPending && (
        <p role="status" className="text-muted">
          Loading the activity …
        </p>
      )}
      {log.data && entries.length === 0 && <Empty title="Nothing yet">{nothing}</Empty>}
      {entries.length > 0 && <Table caption="Activity" columns={columnsOf(nameOf)} rows={entries} keyOf={({ id }) => id} />}
      {log.hasNextPage && (
        <div>
          <Button busy={log.isFetchingNextPage} onClick={() => void log.fetchNextPage()}>
            Show older
          </Button>
        </div>
      )}
    </div>
  );
}
