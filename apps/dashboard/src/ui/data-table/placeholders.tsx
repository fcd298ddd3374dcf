import type { JSX, ReactNode } from 'react';
import { codeOf, messageOf } from '../../api/console-error.js';
import { formatClock } from '../../format/time.js';
import { Button } from '../button.js';
import { Notice } from '../notice.js';
import { CARD_PX } from './layout.js';
import type { RowLook } from './row.js';
import type { RowsQuery } from './types.js';

const ROWS = 8;

/** Rows that are awaited, in the shape that they will have. */
export function SkeletonRows<T>({ look, isNarrow }: { readonly look: RowLook<T>; readonly isNarrow: boolean }): JSX.Element {
  const { columns, template, height, canSelect, menu } = look;
  return (
    <div aria-hidden="true">
      {Array.from({ length: ROWS }, (_, row) => (
        <div
          key={row}
          className="grid items-center border-b border-line last:border-b-0"
          style={isNarrow ? { height: CARD_PX } : { height, gridTemplateColumns: template }}
        >
          {canSelect && !isNarrow && <span />}
          {columns.slice(0, isNarrow ? 1 : undefined).map(({ id, numeric = false }, place) => (
            <div key={id} className={`flex px-3 ${numeric ? 'justify-end' : ''}`}>
              <div className={`h-3 animate-pulse rounded-sm bg-sunken ${place === 0 ? 'w-3/4' : 'w-1/2'}`} />
            </div>
          ))}
          {menu && !isNarrow && <span />}
        </div>
      ))}
    </div>
  );
}

/** Says that rows exist and a filter hides them all. */
export function NothingMatches({ label, onClear }: { readonly label: string; readonly onClear: () => void }): JSX.Element {
  return (
    <div className="grid justify-items-center gap-3 px-4 py-12 text-center text-sm">
      <p className="text-muted">Nothing in {label} matches.</p>
      <Button onClick={onClear}>Clear search and filters</Button>
    </div>
  );
}

const againOf = (query: RowsQuery): ReactNode => (
  <Button busy={query.isFetching} onClick={() => void query.refetch()}>
    Try again
  </Button>
);

/** Why there are no rows, or since when they are not fresh; nothing while all is well. */
export function QueryNotice({ query, hasRows }: { readonly query: RowsQuery; readonly hasRows: boolean }): JSX.Element | null {
  if (!query.isError) return null;
  if (!hasRows) {
    return (
      <Notice look="bad" action={againOf(query)}>
        {messageOf(query.error)}
      </Notice>
    );
  }
  return (
    <Notice look="warn" action={againOf(query)}>
      {codeOf(query.error) === 'offline' ? 'The console cannot be reached.' : messageOf(query.error)} What you see is as of{' '}
      {formatClock(query.dataUpdatedAt)}.
    </Notice>
  );
}
