import { useRouter, useSearch } from '@tanstack/react-router';
import { useCallback, useMemo } from 'react';
import type { RawSearch, SearchCodec } from './search-codec.js';

export interface SetOptions {
  /** The browser's Back button leads to the state before. */
  readonly push?: boolean;
}

/** Changes the parts given, keeps the others, and keeps what else the address holds. */
export type SetUrlState<S> = (patch: Partial<S>, options?: SetOptions) => void;
export type UrlState<S> = readonly [state: S, set: SetUrlState<S>];

/**
 * The state of a screen, kept in its address: it survives a reload and travels with the link.
 * @param codec made once, outside of components
 */
export function useUrlState<S extends object>(codec: SearchCodec<S>): UrlState<S> {
  const search: RawSearch = useSearch({ strict: false });
  const router = useRouter();
  // By what it says: other parameters may change, and what depends on this state is not computed again.
  const written = JSON.stringify(codec.write(codec.read(search)));
  const state = useMemo(() => codec.read(JSON.parse(written) as RawSearch), [codec, written]);
  const set = useCallback<SetUrlState<S>>(
    (patch, { push = false } = {}) => {
      // Of the address as it is this moment: two changes in a row must not undo each other.
      const { pathname, search: query } = router.history.location;
      const before = router.options.parseSearch(query) as RawSearch;
      const next = { ...before, ...codec.write({ ...codec.read(before), ...patch }) };
      // The page where somebody is, which no type of the router names; `.` would mean the layout that asks.
      void router.navigate({ to: pathname, search: next as never, replace: !push, hash: true, resetScroll: false });
    },
    [codec, router],
  );
  return [state, set];
}
