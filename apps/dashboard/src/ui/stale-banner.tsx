import type { JSX } from 'react';
import { formatClock } from '../format/time.js';
import { Button } from './button.js';
import { Icon } from './icon.js';

export interface StaleBannerProps {
  /** When what is shown was true, in milliseconds since the epoch. */
  readonly at: number;
  /** Why nothing newer comes; absent: the console does not answer. */
  readonly reason?: string;
  readonly busy?: boolean;
  readonly onRetry: () => void;
}

/** Says that what is shown gets older, and that it will go on by itself. */
export function StaleBanner({ at, reason = 'The console cannot be reached', busy = false, onRetry }: StaleBannerProps): JSX.Element {
  return (
    <div
      role="status"
      className="flex flex-wrap items-center gap-x-2.5 gap-y-1 rounded-md border border-warn/30 bg-warn-soft py-1 pr-1 pl-3 text-sm"
    >
      <Icon name="warning" className="size-4 text-warn" />
      <span className="min-w-0 flex-1 basis-48">
        Live paused: as of <span className="tabular-nums">{formatClock(at)}</span>, reconnecting. {reason.replace(/\.?$/, '.')}
      </span>
      <Button look="quiet" busy={busy} onClick={onRetry}>
        Try again
      </Button>
    </div>
  );
}
