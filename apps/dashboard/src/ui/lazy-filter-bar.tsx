import { type JSX, lazy, Suspense } from 'react';
import type { FilterBarProps } from './filter-bar.js';

export type { Filter } from './filter-bar.js';

const Loaded = lazy(() => import('./filter-bar.js').then((module) => ({ default: module.FilterBar })));

/** The filter bar, loaded after the screen; its place is kept meanwhile. */
export const FilterBar = (props: FilterBarProps): JSX.Element => (
  <Suspense fallback={<div className="field min-w-0 flex-1" />}>
    <Loaded {...props} />
  </Suspense>
);
