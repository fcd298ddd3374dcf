import type { JSX } from 'react';
import { formatRelative, formatUtc } from '../format/time.js';
import { useNow } from './use-now.js';

/** A moment as how long ago it was; the moment itself in UTC on hover. */
export function Moment({ at }: { readonly at: string }): JSX.Element {
  const now = useNow();
  return (
    <time dateTime={at} title={formatUtc(at)} className="whitespace-nowrap">
      {formatRelative(at, now)}
    </time>
  );
}
