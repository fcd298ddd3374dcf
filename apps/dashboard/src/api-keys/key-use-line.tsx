import type { JSX } from 'react';
import { plural } from '../format/number.js';
import { useKeyUse } from './use-key-use.js';

/** How much would break. */
export function KeyUseLine({ id }: { readonly id: number }): JSX.Element {
  const use = useKeyUse();
  const requests = use?.get(id) ?? 0;
  if (!use) return <p className="font-medium">Whether it is in use is not known right now.</p>;
  return (
    <p className="font-medium">
      {requests === 0 ? 'It was not used in the last 24 hours.' : `It made ${plural(requests, 'request')} in the last 24 hours.`}
    </p>
  );
}
