import type { KeyView } from '@slipway/contracts';
import type { JSX } from 'react';
import { formatCompact, formatCount, plural } from '../format/number.js';
import { Chip } from '../ui/chip.js';
import { Moment } from '../ui/moment.js';
import { Dash } from '../ui/quantity.js';
import { BudgetMeter } from './budget-meter.js';
import { LIMITS } from './key-limits.js';
import type { KeyRow } from './key-rows.js';

/** Name of a key, and below it the key's beginning and its owner. */
export function NameCell({ row: { name, hint, owner } }: { readonly row: KeyRow }): JSX.Element {
  return (
    <span className="grid grid-cols-[minmax(0,1fr)] leading-4">
      <span title={name} className="truncate">
        {name}
      </span>
      <span title={owner ?? undefined} className="truncate text-xs font-normal text-muted">
        <code>{hint}…</code>
        {owner !== null && ` · ${owner}`}
      </span>
    </span>
  );
}

/** The deployments that a key opens: one as a chip, and how many more. */
export function AccessCell({ row, nameOf }: { readonly row: KeyRow; readonly nameOf: (id: number) => string }): JSX.Element {
  const [first, ...more] = row.deployments ?? [];
  if (first === undefined) return <span className="text-muted">All</span>;
  return (
    <span className="flex min-w-0 items-center gap-1.5">
      <Chip text={nameOf(first)} />
      {more.length > 0 && (
        <span title={more.map(nameOf).join('\n')} className="shrink-0 text-xs text-muted">
          +{more.length}
        </span>
      )}
    </span>
  );
}

/** Tokens of the last 30 days, and below them requests. */
export function UsageCell({ row: { requests, tokens } }: { readonly row: KeyRow }): JSX.Element {
  if (requests === null || tokens === null) return <Dash />;
  if (requests === 0) return <span className="text-muted">None</span>;
  return (
    <span className="grid justify-items-end leading-4">
      <span title={plural(tokens, 'token')}>{formatCompact(tokens)} tokens</span>
      <span title={plural(requests, 'request')} className="text-xs text-muted">
        {formatCompact(requests)} {requests === 1 ? 'request' : 'requests'}
      </span>
    </span>
  );
}

/** The budget of a key; where it has none, whether it is limited otherwise. */
export function BudgetCell({ row: { budget, limits, name } }: { readonly row: KeyRow }): JSX.Element {
  if (budget) return <BudgetMeter use={budget} of={name} />;
  const held = LIMITS.filter((limit) => limits?.[limit.name] !== undefined);
  if (held.length === 0) return <Dash />;
  const words = held.map((limit) => `${limit.label}: ${formatCount(limits?.[limit.name] ?? 0)}`);
  return <span title={words.join('\n')}>Limited</span>;
}

/** A moment that may never come: "Never", or a dash where it is not known. */
export function MomentOrNever({ at }: { readonly at: string | null | undefined }): JSX.Element {
  if (at === undefined) return <Dash />;
  return at === null ? <span className="text-muted">Never</span> : <Moment at={at} />;
}

/** When a key expires. A replica from before expiry has keys that never do. */
export const ExpiryText = ({ subject: { expires_at: at } }: { readonly subject: KeyView }): JSX.Element => (
  <MomentOrNever at={at ?? null} />
);
