import { type ConnectedWorker, ExpelWorker, type Incarnation, type JoinedWorker, ListWorkers } from '@slipway/contracts';
import type { z } from 'zod';
import { command, group } from '../command.js';
import { isAbsent } from '../session/connect.js';
import { OPERATOR, type Session } from '../session/session.js';
import { tableOr } from '../table.js';
import { allConnected } from './connected-workers.js';
import { workerName } from './drain-command.js';

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

/** The connected workers, by name; null where deployments-service does not run. */
async function connectedByName(session: Session): Promise<Map<string, ConnectedWorker> | null> {
  try {
    return new Map((await allConnected(session)).map((one) => [one.wk, one]));
  } catch (error) {
    if (isAbsent(error)) return null;
    throw error;
  }
}

const presence = ({ host, pool, state, loads, drained_since: since }: ConnectedWorker) => [host, pool, state, loads, since];

const list = command(
  'list',
  'Lists the workers that joined or are connected, with their replicas.',
  'A worker that is away is not connected now; it may come back until its name expires.',
).plans(() => async (session) => {
  const [joined, connected] = await Promise.all([allWorkers(session), connectedByName(session)]);
  const known = new Map(joined.map((one) => [one.wk as string, one]));
  const names = [...new Set([...known.keys(), ...(connected?.keys() ?? [])])].sort();
  const rows = names.map((wk) => {
    const own = known.get(wk);
    const live = connected?.get(wk);
    const present = live ? presence(live) : [own?.host, null, connected ? 'away' : null, null, null];
    return [wk, ...present, own?.expires_at, own?.expelled_at];
  });
  const titles = ['NAME', 'HOST', 'POOL', 'STATE', 'REPLICAS', 'DRAINED SINCE', 'PROVEN UNTIL', 'EXPELLED'];
  const note = connected ? undefined : 'deployments-service does not run: which of them are connected is not known.';
  return {
    json: { workers: joined, connected: connected && [...connected.values()] },
    text: tableOr('No worker joined, and none is connected.', titles, rows),
    note,
  };
});

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

export const workers = group('workers', 'Lists the workers, and expels one.', [list, expel]);
