import type { UseQueryResult } from '@tanstack/react-query';
import type { JSX, ReactNode } from 'react';
import { codeOf, messageOf } from '../api/console-error.js';
import { ErrorState } from './error-state.js';
import { Skeleton, type SkeletonShape } from './skeleton.js';
import { StaleBanner } from './stale-banner.js';

export interface LoadedProps<T> {
  readonly query: UseQueryResult<T>;
  /** What is being waited for, for screen readers: "Deployments". */
  readonly what: string;
  /** What the place that is kept free looks like. */
  readonly shape?: SkeletonShape;
  /** Rows to keep free while it loads, so that nothing jumps. */
  readonly rows?: number;
  readonly children: (data: T) => ReactNode;
}

/** Draws an answer: while it is awaited, when it does not come, and when it is older than it looks. */
export function Loaded<T>({ query, what, shape = 'table', rows = 3, children }: LoadedProps<T>): JSX.Element {
  const retry = { busy: query.isFetching, onRetry: () => void query.refetch() };
  if (query.data === undefined) {
    return query.isError ? <ErrorState error={query.error} {...retry} /> : <Skeleton shape={shape} what={what} count={rows} />;
  }
  const isOffline = codeOf(query.error) === 'offline';
  return (
    <>
      {query.isError && <StaleBanner at={query.dataUpdatedAt} {...(!isOffline && { reason: messageOf(query.error) })} {...retry} />}
      {children(query.data)}
    </>
  );
}
