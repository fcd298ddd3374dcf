import { type JSX, useEffect, useRef, useState } from 'react';
import { endingOf } from './exchange.js';
import type { Lane } from './use-lane.js';

/** Says to screen readers how the answers ended that ran while the screen was open; the answers themselves are read where they stand. */
export function Progress({ lanes }: { readonly lanes: readonly Pick<Lane, 'turns' | 'isRunning'>[] }): JSX.Element {
  const [said, setSaid] = useState('');
  const wasRunning = useRef(false);
  const isRunning = lanes.some((lane) => lane.isRunning);
  useEffect(() => {
    if (isRunning) setSaid('Answering');
    else if (wasRunning.current) setSaid(endingsOf(lanes));
    wasRunning.current = isRunning;
    // Of the moment in which the last answer ends: what is changed afterwards is no news.
  }, [isRunning]);
  return (
    <p role="status" className="sr-only">
      {said}
    </p>
  );
}

/** The ending of each lane's last answer; with its deployment where there are two. */
function endingsOf(lanes: readonly Pick<Lane, 'turns'>[]): string {
  const endings = lanes.flatMap(({ turns }) => turns.slice(-1).map(({ ask, exchange }) => [ask.model, endingOf(exchange)] as const));
  return endings.map(([model, ending]) => (endings.length > 1 ? `${model}: ${ending}` : ending)).join('. ');
}
