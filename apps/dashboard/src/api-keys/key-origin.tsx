import type { KeyView } from '@slipway/contracts';
import type { JSX } from 'react';
import { Moment } from '../ui/moment.js';
import { creatorText } from './key-state.js';

/** When a key was made, and by whom. */
export function KeyOrigin({ subject: { created_at: at, created_by: by } }: { readonly subject: KeyView }): JSX.Element {
  const who = creatorText(by);
  return (
    <>
      <Moment at={at} />
      {who !== null && <span className="block text-sm break-words text-muted">by {who}</span>}
    </>
  );
}
