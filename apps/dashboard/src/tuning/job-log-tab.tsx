import type { JobView } from '@slipway/contracts';
import type { JSX } from 'react';
import { useCall } from '../api/use-call.js';
import { formatTimeOfDay } from '../format/time.js';
import { useTimeZone } from '../format/time-zone.js';
import { useMayChange } from '../session/use-session.js';
import { EmptyState } from '../ui/empty-state.js';
import { Loaded } from '../ui/loaded.js';
import { isOver } from './job-words.js';
import { LOOK_EVERY_MS } from './use-jobs.js';

/** Lines that are shown. */
const LINES = 1_000;

/** The newest lines that the trainer printed. They can repeat what was learned, so they are for members. */
export function JobLogTab({ job }: { readonly job: JobView }): JSX.Element {
  const mayRead = useMayChange();
  const zone = useTimeZone();
  const found = useCall(
    'jobs/output',
    { job: job.id, lines: LINES },
    { enabled: mayRead, every: () => (isOver(job) ? false : LOOK_EVERY_MS.running) },
  );
  if (!mayRead) {
    return (
      <EmptyState title="The log is for members" icon="lock">
        It can repeat what was learned. Ask an owner of the account for another role.
      </EmptyState>
    );
  }
  return (
    <Loaded query={found} what="Log" shape="text" rows={10}>
      {({ lines }) =>
        lines.length === 0 ? (
          <EmptyState title="The log is empty" icon="terminal">
            The trainer has printed nothing yet.
          </EmptyState>
        ) : (
          <div
            role="region"
            aria-label="Log"
            tabIndex={0}
            className="max-h-[max(20rem,calc(100dvh-18rem))] overflow-auto rounded-lg border border-line bg-surface p-3 font-mono text-code"
          >
            {lines.map(({ at, text }, n) => (
              <div key={n} className="flex gap-3">
                <span className="shrink-0 text-muted tabular-nums">{formatTimeOfDay(at, zone)}</span>
                <span className="min-w-0 wrap-anywhere whitespace-pre-wrap">{text}</span>
              </div>
            ))}
          </div>
        )
      }
    </Loaded>
  );
}
