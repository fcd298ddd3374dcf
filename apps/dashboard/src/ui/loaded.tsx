import type { UseQueryResult } from '@tanstack/react-query';
import type { JSX, ReactNode } from 'react';
import { codeOf, messageOf } from '../api/console-error.js';
import { formatClock } from '../format/time.js';
import { Button } from './button.js';
import { Notice } from './notice.js';

export interface LoadedProps<T> {
  readonly query: UseQueryResult<T>;
  /** What is being waited for, for screen readers: "Deployments". */
  readonly what: string;
  /** Rows to keep free while it loads, so that nothing jumps. */
  readonly rows?: number;
  readonly children: (data: T) => ReactNode;
}

/** Draws an answer: while it is awaited, when it does not come, and when it is older than it looks. */
export function Loaded<T>({ query, what, rows = 3, children }: LoadedProps<T>): JSX.Element {
  const again = (
    <Button busy={query.isFetching} onClick={() => void query.refetch()}>
      Try again
    </Button>
  );
  if (query.data === undefined) {
    if (!query.isError) return <Waiting what={what} rows={rows} />;
    return (
      <Notice look="bad" action={again}>
        {messageOf(query.error)}
      </Notice>
    );
  }
  return (
    <>
      {query.isError && (
        <Notice look="warn" action={again}>
          {codeOf(query.error) === 'offline' ? 'The console cannot be reached.' : messageOf(query.error)} What you see is as of{' '}
          {formatClock(query.dataUpdatedAt)}.
        </Notice>
      )}
      {children(query.data)}
    </>
  );
}

function Waiting({ what, rows }: { readonly what: string; readonly rows: number }): JSX.Element {
  return (
    <div role="status" className="grid gap-3 rounded-lg border border-line bg-surface p-4">
      <span className="sr-only">{what}: loading</span>
      {Array.from({ length: rows }, (_, row) => (
        <div key={row} className="h-6 animate-pulse rounded bg-sunken" />
      ))}
    </div>
  );
}
