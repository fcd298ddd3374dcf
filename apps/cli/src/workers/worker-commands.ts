import { ExpelWorker, Incarnation, type JoinedWorker, ListWorkers } from '@slipway/contracts';
import type { z } from 'zod';
import { command, group } from '../command.js';
import { OPERATOR, type Session } from '../session/session.js';
import { tableOr } from '../table.js';
import { checkedBy } from '../values.js';

type Worker = z.output<typeof JoinedWorker>;

/** Every worker that joined, page by page. */
export async function allWorkers(session: Session): Promise<Worker[]> {
  const all: Worker[] = [];
  let after: Incarnation | null = null;
  do {
    const { workers, next }: z.output<typeof ListWorkers.reply> = await session.call(ListWorkers, after === null ? {} : { after });
    all.push(...workers);
    after = next;
  } while (after !== null);
  return all;
}

const list = command('list', 'Lists the workers that joined and may still be connected.').plans(() => async (session) => {
  const found = await allWorkers(session);
  const rows = found.map((one) => [one.wk, one.host, one.runners, one.expires_at, one.expelled_at]);
  const text = tableOr('No worker joined.', ['NAME', 'HOST', 'RUNNERS', 'PROVEN UNTIL', 'EXPELLED'], rows);
  return { json: { workers: found }, text };
});

const workerName = checkedBy(Incarnation, (text) => `"${text}" is no name of a worker.`);

const expel = command(
  'expel',
  'Refuses a worker every new name and proof from now on.',
  'It stays connected until its current name expires, after 24 hours at most. Whoever holds the credentials to join can join again under another name: replace them if they may have leaked.',
)
  .argument('<NAME>', 'as "workers list" shows it', workerName)
  .plans((_, wk: Incarnation) => async (session) => {
    const { until } = await session.call(ExpelWorker, { wk, actor: OPERATOR });
    return { json: { wk, until }, text: `Worker ${wk} gets no new name and no new proof; its last one expires at ${until}.` };
  });

export const workers = group('workers', 'Lists the workers that joined, and expels one.', [list, expel]);
