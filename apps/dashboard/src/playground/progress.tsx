import { type JSX, useState } from 'react';
import { endingOf } from './exchange.js';
import type { Lane } from './use-lane.js';

/** Says to screen readers how the answers ended that ran while the screen was open; the answers themselves are read where they stand. */
export function Progress({ lanes }: { readonly lanes: readonly Pick<Lane, 'turns' | 'isRunning'>[] }): JSX.Element {
  const isRunning = lanes.some((lane) => lane.isRunning);
  const [before, setBefore] = useState({ wasRunning: isRunning, said: '' });
  // Only what changes while the screen is open is news: an answer that was kept from before is not.
  if (isRunning !== before.wasRunning) setBefore({ wasRunning: isRunning, said: isRunning ? 'Answering' : endingsOf(lanes) });
  return (
    <p role="status" className="sr-only">
      {before.said}
    </p>
  );
}

/** The ending of each lane's last answer; with its deployment where there are two. */
function endingsOf(lanes: readonly Pick<Lane, 'turns'>[]): string {
  const endings = lanes.flatMap(({ turns }) => turns.slice(-1).map(({ ask, exchange }) => [ask.model, endingOf(exchange)] as const));
  return endings.map(([model, ending]) => (endings.length > 1 ? `${model}: ${ending}` : ending)).join('. ');
}
