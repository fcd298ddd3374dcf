import { Meter as Base } from '@base-ui/react/meter';
import { Progress as BaseProgress } from '@base-ui/react/progress';
import type { JSX, ReactNode } from 'react';

/** Shares of a limit from which a person should look, and at which it is used up. */
const WARN_FROM = 0.8;
const FULL_FROM = 1;

const lookOf = (share: number): string => {
  if (share >= FULL_FROM) return 'bg-bad';
  return share >= WARN_FROM ? 'bg-warn' : 'bg-accent';
};

export interface MeterBarProps {
  /** What is measured: "Tokens of Website, production". */
  readonly label: string;
  readonly used: number;
  readonly limit: number;
  /** Both in words: "1.2M of 2M tokens". Shown beside the bar, and read instead of the percentage. */
  readonly text: ReactNode;
  readonly words?: string;
}

/** How much of a limit is used: amber from 80 %, red at 100 %. */
export function MeterBar({ label, used, limit, text, words }: MeterBarProps): JSX.Element {
  const share = limit > 0 ? used / limit : FULL_FROM;
  const spoken = words ?? (typeof text === 'string' ? text : `${Math.round(share * 100)} %`);
  return (
    <Base.Root
      value={Math.min(used, limit)}
      max={Math.max(limit, 1)}
      aria-valuetext={spoken}
      aria-label={label}
      className="grid min-w-24 gap-1"
    >
      <span className="truncate text-xs text-muted tabular-nums">{text}</span>
      <Base.Track className="h-1 overflow-hidden rounded-full bg-rim">
        <Base.Indicator className={`h-full rounded-full transition-[width] ${lookOf(share)}`} />
      </Base.Track>
    </Base.Root>
  );
}

export interface ProgressBarProps {
  readonly label: string;
  /** 0 to 1; null = nobody knows how far it is. */
  readonly share: number | null;
  readonly text?: ReactNode;
}

/** How far something is that ends. */
export function ProgressBar({ label, share, text }: ProgressBarProps): JSX.Element {
  return (
    <BaseProgress.Root value={share === null ? null : Math.floor(share * 100)} aria-label={label} className="grid min-w-24 gap-1">
      {text !== undefined && <span className="truncate text-xs text-muted tabular-nums">{text}</span>}
      <BaseProgress.Track className="h-1 overflow-hidden rounded-full bg-rim">
        <BaseProgress.Indicator className="h-full rounded-full bg-accent transition-[width] data-indeterminate:w-1/3 data-indeterminate:animate-pulse" />
      </BaseProgress.Track>
    </BaseProgress.Root>
  );
}
