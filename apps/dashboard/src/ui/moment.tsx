import type { JSX } from 'react';
import { formatExact, formatRelative, formatUtc } from '../format/time.js';
import { useTimeZone } from '../format/time-zone.js';
import { Tooltip } from './tooltip.js';
import { useNow } from './use-now.js';

export interface MomentProps {
  readonly at: string;
  /** Writes the moment itself, in the zone that the person chose, instead of how long ago it was. */
  readonly exact?: boolean;
}

/** A moment as how long ago it was; on hover the moment itself, here and in UTC. */
export function Moment({ at, exact = false }: MomentProps): JSX.Element {
  const now = useNow();
  const zone = useTimeZone();
  return (
    <Tooltip text={<Exact at={at} now={exact ? now : null} />}>
      <time dateTime={at} className="whitespace-nowrap tabular-nums">
        {exact ? formatExact(at, zone) : formatRelative(at, now)}
      </time>
    </Tooltip>
  );
}

function Exact({ at, now }: { readonly at: string; readonly now: number | null }): JSX.Element {
  return (
    <span className="grid tabular-nums">
      {now !== null && <span>{formatRelative(at, now)}</span>}
      <span>{formatExact(at, 'local')}</span>
      <span>{formatUtc(at)}</span>
    </span>
  );
}
