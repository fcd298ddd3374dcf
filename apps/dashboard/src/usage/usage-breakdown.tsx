import type { UsageGroup, UsageRow } from '@slipway/contracts';
import { type JSX, useState } from 'react';
import { useCall } from '../api/use-call.js';
import { formatCount } from '../format/number.js';
import { SelectField } from '../ui/field.js';
import { Loaded } from '../ui/loaded.js';
import { type Column, Table } from '../ui/table.js';
import { useKeyNames } from './use-key-names.js';
import type { UsageRange } from './usage-range.js';

const GROUPS: readonly { readonly value: UsageGroup; readonly label: string }[] = [
  { value: 'key', label: 'Key' },
  { value: 'deployment', label: 'Deployment' },
  { value: 'alias', label: 'Alias' },
  { value: 'api', label: 'Contract' },
  { value: 'status', label: 'Outcome' },
];

export const FIGURES: readonly Column<UsageRow>[] = [
  { title: 'Requests', numeric: true, cell: ({ requests }) => formatCount(requests) },
  { title: 'Errors', numeric: true, cell: ({ errors }) => formatCount(errors) },
  { title: 'Tokens in', numeric: true, cell: ({ prompt_tokens: tokens }) => formatCount(tokens) },
  { title: 'Of them cached', numeric: true, cell: ({ cached_tokens: tokens }) => formatCount(tokens) },
  { title: 'Tokens out', numeric: true, cell: ({ completion_tokens: tokens }) => formatCount(tokens) },
];

/** Who and what used how much, over the whole range. */
export function UsageBreakdown({ range: { from, to } }: { readonly range: UsageRange }): JSX.Element {
  const [group, setGroup] = useState<UsageGroup>('key');
  const sums = useCall('usage/query', { from, to, step: 'total', group_by: [group] }, { every: () => 30_000 });
  const nameOfKey = useKeyNames();
  const deployments = useCall('deployments/list', {});
  const nameOf = (row: UsageRow): string => {
    if (row.key !== undefined) return nameOfKey(row.key);
    if (row.deployment !== undefined) {
      const found = deployments.data?.deployments.find(({ id }) => id === row.deployment);
      return found ? `${found.name} (deployment-${row.deployment})` : `deployment-${row.deployment}`;
    }
    if (row.alias !== undefined) return row.alias === '' ? 'Called by slug' : row.alias;
    if (row.api !== undefined) return row.api === 'chat' ? 'Chat completions' : 'Messages';
    return (row.status ?? '').replaceAll('_', ' ');
  };
  const title = GROUPS.find(({ value }) => value === group)?.label ?? '';
  return (
    <section className="grid grid-cols-[minmax(0,1fr)] gap-3">
      <div className="max-w-56">
        <SelectField
          label="Split by"
          choices={GROUPS}
          value={group}
          onChange={({ target }) => setGroup(GROUPS.find(({ value }) => value === target.value)?.value ?? 'key')}
        />
      </div>
      <Loaded query={sums} what="Usage by group">
        {({ rows }) =>
          rows.length === 0 ? (
            <p className="text-muted">Nothing was used in this time.</p>
          ) : (
            <Table
              caption={`Usage by ${title.toLowerCase()}`}
              columns={[{ title, cell: (row) => <span className="break-words">{nameOf(row)}</span> }, ...FIGURES]}
              rows={rows.toSorted((a, b) => b.requests - a.requests)}
              keyOf={(row) => nameOf(row)}
            />
          )
        }
      </Loaded>
    </section>
  );
}
