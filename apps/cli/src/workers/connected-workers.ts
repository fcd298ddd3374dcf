import { type ConnectedWorker, type Incarnation, ListConnectedWorkers } from '@slipway/contracts';
import type { z } from 'zod';
import type { Session } from '../session/session.js';

/** Every worker whose heartbeats reach deployments-service, page by page. */
export async function allConnected(session: Session): Promise<ConnectedWorker[]> {
  const all: ConnectedWorker[] = [];
  let after: Incarnation | null = null;
  do {
    const page: z.output<typeof ListConnectedWorkers.reply> = await session.call(ListConnectedWorkers, after === null ? {} : { after });
    all.push(...page.workers);
    after = page.next;
  } while (after !== null);
  return all;
}
