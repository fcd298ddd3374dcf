import type { UsageRow } from '@slipway/contracts';
import type { UseQueryResult } from '@tanstack/react-query';
import { type JSX, useMemo } from 'react';
import { formatCount } from '../format/number.js';
import { USAGE_REFUSED_SEARCH } from '../searches.js';
import { DataTable } from '../ui/data-table/data-table.js';
import type { Column, Facet } from '../ui/data-table/types.js';
import { Section } from '../ui/page.js';
import { useUrlState } from '../url-state/use-url-state.js';
import { outcomeOf } from './group-names.js';
import type { UsageAnswer } from './read-usage.js';
import { type Refusal, refusalsOf } from './refusals.js';
import { formatShare } from './usage-stats.js';

const COLUMNS: readonly Column<Refusal>[] = [
  { id: 'key', title: 'Key', width: 200, pin: 'left', cell: ({ key }) => <span title={key}>{key}</span>, value: ({ key }) => key },
  { id: 'code', title: 'Outcome', width: 220, card: 'status', cell: ({ code }) => outcomeOf(code), value: ({ code }) => outcomeOf(code) },
  {
    ...{ id: 'requests', title: 'Requests', numeric: true, width: 96, card: 'figure' },
    cell: ({ requests }) => formatCount(requests),
    value: ({ requests }) => requests,
  },
  {
    ...{ id: 'share', title: 'Of the key’s requests', numeric: true, width: 140 },
    cell: ({ share }) => formatShare(share),
    value: ({ share }) => share,
  },
];
const FACETS: readonly Facet<Refusal>[] = [{ id: 'code', title: 'Outcome', of: ({ code }) => [code], words: outcomeOf }];

export interface UsageRefusalsProps {
  /** By key and outcome. */
  readonly query: UseQueryResult<UsageAnswer>;
  readonly nameOf: (row: Partial<UsageRow>) => string;
  readonly onDrill: (refusal: Refusal) => void;
}

/** Which keys get errors, and which: 429 of a limit, 404 of a wrong name. Nothing where there are none. */
export function UsageRefusals({ query, nameOf, onDrill }: UsageRefusalsProps): JSX.Element | null {
  const table = useUrlState(USAGE_REFUSED_SEARCH);
  const rows = useMemo(() => query.data && refusalsOf(query.data.rows, nameOf), [query.data, nameOf]);
  if (!rows || rows.length === 0) return null;
  return (
    <Section title="Errors and refusals by key">
      <DataTable
        label="Errors and refusals by key"
        {...{ rows, query }}
        columns={COLUMNS}
        facets={FACETS}
        keyOf={({ key, code }) => `${key}\n${code}`}
        nameOf={({ key, code }) => `${key}, ${outcomeOf(code)}`}
        state={table}
        onOpen={onDrill}
        empty={null}
      />
    </Section>
  );
}
