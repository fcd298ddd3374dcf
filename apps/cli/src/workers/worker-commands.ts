import { ExpelWorker, Incarnation, type JoinedWorker, ListWorkers } from '@slipway/contracts';
import type { z } from 'zod';
import type { Command, Group } from '../command.js';
import { checked } from '../option-values.js';
import { OPERATOR } from '../session/operator.js';
import type { Session } from '../session/session.js';
import { tableOr } from '../table.js';

type Worker = z.output<typeof JoinedWorker>;

async function allWorkers(session: Session): Promise<Worker[]> {
  const all: Worker[] = [];
  let after: Incarnation | null = null;
  do {
    const { workers, next }: z.output<typeof ListWorkers.reply> = await session.call(ListWorkers, after === null ? {} : { after });
    all.push(...workers);
    after = next;
  } while (after !== null);
  return all;
}

const list: Command = {
  name: 'list',
  summary: 'Lists the workers that joined and may still be connected.',
  words: [],
  options: {},
  plan: () => async (session) => {
    const found = await allWorkers(session);
    const rows = found.map((one) => [one.wk, one.host, one.runners, one.expires_at, one.expelled_at]);
    const text = tableOr('No worker joined.', ['NAME', 'HOST', 'RUNNERS', 'PROVEN UNTIL', 'EXPELLED'], rows);
    return { json: { workers: found }, text };
  },
};

const expel: Command = {
  name: 'expel',
  summary: 'Refuses a worker every new name and proof from now on.',
  remark:
    'It stays connected until what it has ends, 24 hours at most. Who holds the credentials to join can come back under another name: replace those too where they may be known.',
  words: [{ name: 'NAME', about: 'as "workers list" shows it' }],
  options: {},
  plan(call) {
    const text = call.word('NAME');
    const wk = checked(Incarnation, text, `"${text}" is no name of a worker.`);
    return async (session) => {
      const { until } = await session.call(ExpelWorker, { wk, actor: OPERATOR });
      return { json: { wk, until }, text: `Worker ${wk} gets no name and no proof any more; the last one that it has ends at ${until}.` };
    };
  },
};

export const workers: Group = {
  name: 'workers',
  summary: 'Lists the workers that joined, and expels one.',
  commands: [list, expel],
};
