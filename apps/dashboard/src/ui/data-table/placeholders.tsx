import type { JSX } from 'react';
import { codeOf, messageOf } from '../../api/console-error.js';
import { ErrorState } from '../error-state.js';
import { StaleBanner } from '../stale-banner.js';
import { CARD_PX } from './layout.js';
import type { RowLook } from './row.js';
import type { RowsQuery } from './types.js';

const ROWS = 8;

/** Rows that are awaited, in the shape that they will have. */
export function SkeletonRows<T>({ look, isNarrow }: { readonly look: RowLook<T>; readonly isNarrow: boolean }): JSX.Element {
  const { columns, template, height, canSelect, openMenu } = look;
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
          {openMenu && !isNarrow && <span />}
        </div>
      ))}
    </div>
  );
}

/** Why there are no rows, or since when they are not fresh; nothing while all is well. */
export function QueryNotice({ query, hasRows }: { readonly query: RowsQuery; readonly hasRows: boolean }): JSX.Element | null {
  if (!query.isError) return null;
  const again = { busy: query.isFetching, onRetry: () => void query.refetch() };
  if (!hasRows) return <ErrorState error={query.error} {...again} />;
  const isOffline = codeOf(query.error) === 'offline';
  return <StaleBanner at={query.dataUpdatedAt} {...(!isOffline && { reason: messageOf(query.error) })} {...again} />;
}
