import { setTimeout as delay } from 'node:timers/promises';
import { type ConnectedWorker, deploymentSlug, DrainWorker, Incarnation } from '@slipway/contracts';
import { CliError, UsageError } from '../cli-errors.js';
import { type Call, type CliCommand, command } from '../command.js';
import { WAIT_OPTIONS, waitOf, type WaitValues } from '../deployments/wait-for-deployment.js';
import { OPERATOR, type Session } from '../session/session.js';
import { checkedBy } from '../values.js';
import { allConnected } from './connected-workers.js';

const ASK_EACH_MS = 300;
const NAMES_SHOWN = 5;

/** Parser of a worker's name. */
export const workerName = checkedBy(Incarnation, (text) => `"${text}" is no name of a worker.`);

function leftText({ loads, deployments }: ConnectedWorker): string {
  const named = deployments.slice(0, NAMES_SHOWN).map(deploymentSlug).join(', ');
  return `${loads} ${loads === 1 ? 'replica' : 'replicas'} left (${named}${deployments.length > NAMES_SHOWN ? ', …' : ''})`;
}

/** Waits until the worker is empty or gone; null = gone. @throws CliError `timeout`, `drain_undone` */
async function untilEmpty(session: Session, wk: Incarnation, withinMs: number): Promise<ConnectedWorker | null> {
  for (const since = Date.now(); ;) {
    const worker = (await allConnected(session)).find((one) => one.wk === wk) ?? null;
    if (worker === null || worker.loads === 0) return worker;
    if (worker.drained_since === null && worker.state !== 'stopping') {
      throw new CliError('drain_undone', `The drain of ${wk} was undone meanwhile.`);
    }
    session.terminal.status(`${wk}: ${leftText(worker)}`);
    if (Date.now() - since > withinMs) {
      const why = 'A replica stays until another worker has it ready: look at the workers that are left.';
      throw new CliError('timeout', `${wk} is not empty after ${withinMs / 1_000} s: ${leftText(worker)}. ${why}`, { worker });
    }
    await delay(ASK_EACH_MS);
  }
}

/** `npx slipway drain`. */
export const drain: CliCommand = command(
  'drain',
  'Empties a worker without a gap, as before its host is taken down.',
  "It gets no new replica. Each of its replicas serves until another worker has one ready; then running streams have the worker's UNLOAD_GRACE_MS to end. The drain lasts until --undo, or until the worker's process ends.",
)
  .argument('<WORKER>', 'as "workers list" shows it', workerName)
  .option('--undo', 'ends the drain: the worker gets replicas again')
  .takes(...WAIT_OPTIONS)
  .examples('drain agent9c1d --wait --timeout 900', 'drain agent9c1d --undo')
  .plans(({ options }: Call<WaitValues & { undo?: true }>, wk: Incarnation) => {
    const waitMs = waitOf(options);
    if (options.undo && waitMs !== null) throw new UsageError('--undo is done at once: leave out --wait.');
    return async (session) => {
      const { worker } = await session.call(DrainWorker, { wk, drain: !options.undo, actor: OPERATOR });
      if (options.undo) return { json: { worker }, text: `Worker ${wk} gets replicas again.` };
      if (waitMs === null) return { json: { worker }, text: worker.loads > 0 ? `${wk}: ${leftText(worker)}.` : `${wk} is empty.` };
      const last = await untilEmpty(session, wk, waitMs);
      session.terminal.clearStatus();
      return { json: { worker: last }, text: last ? `${wk} is empty: its process can be stopped.` : `${wk} is gone.` };
    };
  });
