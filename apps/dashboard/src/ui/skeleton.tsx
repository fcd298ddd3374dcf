import type { JSX } from 'react';

export type SkeletonShape = 'table' | 'figures' | 'chart' | 'form' | 'text';

export interface SkeletonProps {
  readonly shape: SkeletonShape;
  /** What is being waited for, for screen readers: "Deployments". */
  readonly what: string;
  /** Rows, figures, fields or lines to keep free, so that nothing jumps. */
  readonly count?: number;
}

const BONE = 'animate-pulse rounded-sm bg-line/70';
const WIDTHS = ['w-3/5', 'w-2/5', 'w-1/2', 'w-1/3'] as const;
const widthOf = (n: number): string => WIDTHS[n % WIDTHS.length] ?? 'w-1/2';
const times = <T,>(count: number, draw: (n: number) => T): T[] => Array.from({ length: count }, (_, n) => draw(n));

const SHAPES: Readonly<Record<SkeletonShape, (count: number) => JSX.Element>> = {
  table: (count) => (
    <div className="overflow-hidden rounded-lg border border-line bg-surface">
      <div className="h-9 border-b border-line bg-page" />
      {times(count, (n) => (
        <div key={n} className="grid h-11 grid-cols-[2fr_1fr_1fr_1fr] items-center gap-6 border-line px-3 not-last:border-b">
          <div className={`h-3.5 ${widthOf(n)} ${BONE}`} />
          <div className={`h-3.5 w-1/2 ${BONE}`} />
          <div className={`h-3.5 w-2/3 ${BONE}`} />
          <div className={`h-3.5 w-1/3 justify-self-end ${BONE}`} />
        </div>
      ))}
    </div>
  ),
  figures: (count) => (
    <div className="grid grid-cols-2 gap-3 sm:grid-cols-[repeat(auto-fit,minmax(9.75rem,1fr))]">
      {times(count, (n) => (
        <div key={n} className="grid content-start gap-2 rounded-lg border border-line bg-surface p-4">
          <div className={`h-3 w-20 ${BONE}`} />
          <div className={`h-7 w-28 max-w-full ${BONE}`} />
          <div className={`h-3 w-16 ${BONE}`} />
        </div>
      ))}
    </div>
  ),
  chart: () => (
    <div className="flex h-56 items-end gap-2 rounded-lg border border-line bg-surface p-4">
      {times(16, (n) => (
        <div key={n} className={`flex-1 ${BONE}`} style={{ height: `${30 + ((n * 37) % 60)}%` }} />
      ))}
    </div>
  ),
  form: (count) => (
    <div className="grid max-w-[40rem] gap-5">
      {times(count, (n) => (
        <div key={n} className="grid gap-2">
          <div className={`h-3.5 w-24 ${BONE}`} />
          <div className={`h-8 ${BONE}`} />
        </div>
      ))}
    </div>
  ),
  text: (count) => (
    <div className="grid gap-2">
      {times(count, (n) => (
        <div key={n} className={`h-4 ${n === count - 1 ? 'w-2/5' : ''} ${BONE}`} />
      ))}
    </div>
  ),
};

/** Keeps the place of what is loading, in its own shape. */
export function Skeleton({ shape, what, count = 3 }: SkeletonProps): JSX.Element {
  return (
    <div role="status">
      <span className="sr-only">{what}: loading</span>
      <div aria-hidden="true">{SHAPES[shape](count)}</div>
    </div>
  );
}
