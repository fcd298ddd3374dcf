import type { JSX, ReactNode } from 'react';
import { formatChange } from '../format/number.js';
import { Icon } from './icon.js';

/** A figure against the same one of the time before. */
export interface Delta {
  /** 0.12 = 12 % more; null = there was nothing before. */
  readonly share: number | null;
  /** Which direction is good: more requests, fewer errors; `neither` for what is no merit, as tokens. */
  readonly better: 'more' | 'less' | 'neither';
  /** Against what: "yesterday". */
  readonly against: string;
}

export interface Stat {
  readonly label: string;
  readonly value: ReactNode;
  readonly unit?: string;
  readonly delta?: Delta | undefined;
  /** A small chart below the figure. */
  readonly spark?: ReactNode;
  /** A second line: what the figure counts. */
  readonly hint?: ReactNode;
}

/** Key figures beside each other. */
export function StatGrid({ label, stats }: { readonly label: string; readonly stats: readonly Stat[] }): JSX.Element {
  return (
    <dl aria-label={label} className="grid grid-cols-2 gap-3 sm:grid-cols-[repeat(auto-fit,minmax(9.75rem,1fr))]">
      {stats.map((stat) => (
        <div
          key={stat.label}
          className="grid min-w-0 grid-cols-[minmax(0,1fr)] content-start gap-0.5 rounded-lg border border-line bg-surface p-4"
        >
          <dt className="truncate text-xs text-muted">{stat.label}</dt>
          <dd className="truncate text-2xl font-semibold tracking-tight tabular-nums">
            {stat.value}
            {stat.unit !== undefined && <span className="ml-1 text-sm font-normal tracking-normal text-muted">{stat.unit}</span>}
          </dd>
          {stat.delta && <Change delta={stat.delta} />}
          {stat.hint !== undefined && <dd className="text-xs text-muted">{stat.hint}</dd>}
          {stat.spark !== undefined && <dd className="mt-2 h-8">{stat.spark}</dd>}
        </div>
      ))}
    </dl>
  );
}

function Change({ delta: { share, better, against } }: { readonly delta: Delta }): JSX.Element {
  if (share === null) return <dd className="text-xs text-muted">Nothing {against}</dd>;
  const text = formatChange(share);
  const isFlat = text.startsWith('0');
  const judged = share > 0 === (better === 'more') ? 'text-good' : 'text-bad';
  const look = better === 'neither' || isFlat ? 'text-muted' : judged;
  return (
    <dd className="flex items-center gap-1 truncate text-xs text-muted">
      <span className={`inline-flex items-center gap-1 font-medium tabular-nums ${look}`}>
        {!isFlat && <Icon name={share > 0 ? 'rising' : 'falling'} className="size-3.5" />}
        {text}
      </span>
      vs {against}
    </dd>
  );
}
