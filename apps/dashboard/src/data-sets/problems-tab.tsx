import type { ConsoleReply, DatasetIssue, IssueTotal } from '@slipway/contracts';
import { type JSX, useState } from 'react';
import { messageOf } from '../api/console-error.js';
import { saveFrom } from '../api/save.js';
import { type ListPage, useAll } from '../api/use-all.js';
import { useChange } from '../api/use-call.js';
import { formatCount } from '../format/number.js';
import { PROBLEMS_SEARCH } from '../searches.js';
import { useMayChange } from '../session/use-session.js';
import { announce } from '../ui/announcements.js';
import { Button } from '../ui/button.js';
import { DataTable } from '../ui/data-table/data-table.js';
import type { Column, Facet } from '../ui/data-table/types.js';
import { EmptyState } from '../ui/empty-state.js';
import { Status } from '../ui/status.js';
import { useUrlState } from '../url-state/use-url-state.js';
import type { ShownVersion } from './shown-version.js';
import { ruleText } from './rule-words.js';
import { isMoving } from './version-words.js';

/** While the version is checked, in milliseconds. */
const LOOK_EVERY_MS = 1_000;

const pageOf = ({ issues, next }: ConsoleReply<'issues/list'>): ListPage<'issues/list', DatasetIssue> => ({
  rows: issues,
  next: next === null ? null : { after: next },
});

const FACETS: readonly Facet<DatasetIssue>[] = [
  { id: 'rule', title: 'Rule', of: ({ rule }) => [rule], words: ruleText },
  { id: 'severity', title: 'Kind', of: ({ severity }) => [severity], words: (one) => (one === 'error' ? 'Rejected' : 'Warning') },
];

/** What the check found in a version: how often each rule applied, and the first lines of each. */
export function ProblemsTab({ details, version }: ShownVersion): JSX.Element {
  const state = useUrlState(PROBLEMS_SEARCH);
  const named = { dataset: details.dataset.id, version: version.number };
  // Another question once the check is over: what was found meanwhile is not all.
  const request = { ...named, limit: 200, ...(!isMoving(version) && { after: 0 }) };
  const query = useAll('issues/list', request, pageOf, isMoving(version) ? { every: () => LOOK_EVERY_MS } : { staleMs: 60_000 });
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
      {version.issues.length > 0 && <Totals totals={version.issues} />}
      <DataTable
        label="Problems"
        rows={query.data}
        {...{ query, state }}
        columns={COLUMNS}
        facets={FACETS}
        keyOf={keyOf}
        nameOf={({ line }) => `line ${line}`}
        actions={version.rejected > 0 && !isMoving(version) && <RejectedButton {...named} />}
        empty={
          <EmptyState title={isMoving(version) ? 'No problems so far' : 'No problems'} icon="good">
            {isMoving(version) ? 'Problems appear here while the file is checked.' : 'Every line of the file is a good example.'}
          </EmptyState>
        }
      />
    </div>
  );
}

const keyOf = ({ line, path, rule, message }: DatasetIssue): string => `${line} ${rule} ${path} ${message}`;

/** Each rule with its count. */
function Totals({ totals }: { readonly totals: readonly IssueTotal[] }): JSX.Element {
  return (
    <ul aria-label="Problems by rule" className="flex flex-wrap gap-2">
      {totals.map(({ rule, severity, count }) => (
        <li key={rule} className="flex items-center gap-2 rounded-md border border-line bg-surface px-3 py-1.5 text-sm">
          <span aria-hidden="true" className={`size-2 rounded-full ${severity === 'error' ? 'bg-bad' : 'bg-warn'}`} />
          {ruleText(rule)}
          <span className="text-muted tabular-nums">{formatCount(count)}</span>
        </li>
      ))}
    </ul>
  );
}

function RejectedButton({ dataset, version }: { readonly dataset: number; readonly version: number }): JSX.Element | null {
  const mayRead = useMayChange();
  const download = useChange('versions/download', []);
  const [busy, setBusy] = useState(false);
  if (!mayRead) return null;
  const save = async (): Promise<void> => {
    setBusy(true);
    try {
      saveFrom((await download.mutateAsync({ dataset, version, what: 'rejected' })).path);
    } catch (error) {
      announce(messageOf(error), 'bad');
    }
    setBusy(false);
  };
  return (
    <Button icon="download" busy={busy} onClick={() => void save()}>
      Download the rejected lines
    </Button>
  );
}

const COLUMNS: readonly Column<DatasetIssue>[] = [
  {
    id: 'line',
    title: 'Line',
    cell: ({ line }) => (line === 0 ? 'File' : formatCount(line)),
    value: ({ line }) => line,
    width: 90,
    pin: 'left',
  },
  {
    id: 'kind',
    title: 'Kind',
    cell: ({ severity }) => (severity === 'error' ? <Status look="bad" text="Rejected" /> : <Status look="warn" text="Warning" />),
    value: ({ severity }) => severity,
    width: 120,
    card: 'status',
  },
  { id: 'rule', title: 'Rule', cell: ({ rule }) => ruleText(rule), value: ({ rule }) => ruleText(rule), width: 170 },
  {
    id: 'message',
    title: 'Problem',
    cell: ({ message }) => (
      <span title={message} className="block truncate">
        {message}
      </span>
    ),
    value: ({ message }) => message,
    width: 420,
    card: 'figure',
  },
  {
    id: 'path',
    title: 'Place',
    cell: ({ path }) => <code className="text-code text-muted">{path}</code>,
    value: ({ path }) => path,
    width: 160,
    hidden: true,
  },
];
