import type { KeyView } from '@slipway/contracts';
import type { JSX } from 'react';
import { Moment } from '../ui/moment.js';

/** Whether something would break. */
export function KeyUseLine({ subject: { last_used_at: at } }: { readonly subject: KeyView }): JSX.Element {
  if (at === undefined) return <p className="font-medium">Whether it is in use is not known right now.</p>;
  if (at === null) return <p className="font-medium">It was never used.</p>;
  return (
    <p className="font-medium">
      It was last used <Moment at={at} />.
    </p>
  );
}
