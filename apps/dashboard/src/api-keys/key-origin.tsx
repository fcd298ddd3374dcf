import type { KeyView } from '@slipway/contracts';
import type { JSX } from 'react';
import { Moment } from '../ui/moment.js';
import { creatorText } from './key-state.js';

/** When a key was made, by whom, and since when it has the value that it has. */
export function KeyOrigin({
  subject: { created_at: at, created_by: by, rotated_at: rotated },
}: {
  readonly subject: KeyView;
}): JSX.Element {
  const who = creatorText(by);
  return (
    <>
      <Moment at={at} />
      {who !== null && (
        <span title={who} className="block truncate text-sm text-muted md:max-w-48">
          by {who}
        </span>
      )}
      {rotated != null && (
        <span className="block text-sm text-muted">
          rotated <Moment at={rotated} />
        </span>
      )}
    </>
  );
}
