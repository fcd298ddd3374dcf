import type { UsageGroup } from '@slipway/contracts';
import { type JSX, useState } from 'react';
import { useCall } from '../api/use-call.js';
import { SelectField } from '../ui/field.js';
import { Loaded } from '../ui/loaded.js';
import { type Column, Table, Truncated } from '../ui/table.js';
import {
  CACHED,
  DURATION,
  ERRORS,
  type Figure,
  type FigureLine,
  REQUESTS,
  SPEED,
  TOKENS_IN,
  TOKENS_OUT,
  TTFT,
  written,
} from './figures.js';
import { type Part, partsOf } from './parts.js';
import { GROUPS, groupOf, useGroupNames } from './use-group-names.js';
import type { UsageRange } from './usage-range.js';

/** As many as fit beside each other: the chart above shows the others too. */
const SHOWN: readonly (readonly [string, Figure, FigureLine])[] = [
  ...[REQUESTS, ERRORS, TOKENS_IN].map((figure) => [figure.label, figure, figure.lines[0]] as const),
  ['Cached', CACHED, CACHED.lines[0]],
  ['Tokens out', TOKENS_OUT, TOKENS_OUT.lines[0]],
  ...TTFT.lines.map((line) => [line.label, TTFT, line] as const),
  ['Duration p50', DURATION, DURATION.lines[0]],
  ['Tokens/s', SPEED, SPEED.lines[0]],
];
const COLUMNS = SHOWN.map(([title, figure, { of }]): Column<Part> => ({ title, numeric: true, cell: (row) => written(figure, of(row)) }));

/** Who and what used how much, over the whole range. */
export function UsageBreakdown({ range: { from, to } }: { readonly range: UsageRange }): JSX.Element {
  const [group, setGroup] = useState<UsageGroup>('key');
  const sums = useCall('usage/query', { from, to, step: 'total', group_by: [group], latency: true }, { every: () => 30_000, keep: true });
  const nameOf = useGroupNames();
  const title = GROUPS.find(({ value }) => value === group)?.label ?? '';
  return (
    <section className="grid grid-cols-[minmax(0,1fr)] gap-3">
      <h2 className="text-base font-semibold">In the whole time</h2>
      <div className="max-w-56">
        <SelectField label="By" choices={GROUPS} value={group} onChange={({ target }) => setGroup(groupOf(target.value) ?? 'key')} />
      </div>
      <Loaded query={sums} what="Usage by group">
        {({ rows }) =>
          rows.length === 0 ? (
            <p className="text-muted">Nothing was used in this time.</p>
          ) : (
            <Table
              caption={`Usage by ${title.toLowerCase()}`}
              columns={[{ title, cell: ({ name }) => <Truncated text={name} /> }, ...COLUMNS]}
              rows={partsOf(rows, nameOf)}
              keyOf={({ name }) => name}
            />
          )
        }
      </Loaded>
    </section>
  );
}
