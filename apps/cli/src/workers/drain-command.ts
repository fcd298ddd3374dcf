import { setTimeout as delay } from 'node:timers/promises';
import { type ConnectedWorker, deploymentSlug, DrainWorker, Incarnation } from '@slipway/contracts';
import { CliError, UsageError } from '../cli-errors.js';
import { type Answer, type Call, type CliCommand, command } from '../command.js';
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

/** What each replica waits for, a line each; empty where that is not known. */
const reasonsText = ({ left = [] }: ConnectedWorker): string =>
  left.map(({ dep, rev, detail }) => `\n  ${deploymentSlug(dep)}, revision ${rev}: ${detail}`).join('');

const stateText = (worker: ConnectedWorker): string =>
  worker.loads > 0 ? `${worker.wk}: ${leftText(worker)}.${reasonsText(worker)}` : `${worker.wk} is empty.`;

/** Waits until the worker is empty or gone; null = gone. @throws CliError `timeout`, `drain_undone` */
async function untilEmpty(session: Session, wk: Incarnation, withinMs: number): Promise<ConnectedWorker | null> {
  for (const since = Date.now(); ;) {
    const worker = (await allConnected(session)).find((one) => one.wk === wk) ?? null;
    if (worker === null || worker.loads === 0) return worker;
    if (worker.drained_since === null && worker.state !== 'stopping') {
      throw new CliError('drain_undone', `The drain of ${wk} was undone meanwhile.`);
    }
    const [first] = worker.left ?? [];
    session.terminal.status(`${wk}: ${leftText(worker)}${first ? `; ${deploymentSlug(first.dep)}: ${first.detail}` : ''}`);
    if (Date.now() - since > withinMs) {
      const why = 'A replica stays until another worker has it ready: look at the workers that are left.';
      const reasons = reasonsText(worker);
      throw new CliError('timeout', `${wk} is not empty after ${withinMs / 1_000} s: ${leftText(worker)}. ${why}${reasons}`, { worker });
    }
    await delay(ASK_EACH_MS);
  }
}

async function statusOf(session: Session, wk: Incarnation): Promise<Answer> {
  const worker = (await allConnected(session)).find((one) => one.wk === wk);
  if (!worker) throw new CliError('not_found', 'There is no connected worker of this name.');
  const note = worker.drained_since === null ? 'No drain of this worker is under way.' : undefined;
  return { json: { worker }, text: stateText(worker), note };
}

/** `npx slipway drain`. */
export const drain: CliCommand = command(
  'drain',
  'Empties a worker without a gap, as before its host is taken down.',
  "It gets no new replica. Each of its replicas serves until another worker has one ready; then running streams have the worker's UNLOAD_GRACE_MS to end. The drain lasts until --undo, or until the worker's process ends.",
)
  .argument('<WORKER>', 'as "workers list" shows it', workerName)
  .option('--undo', 'ends the drain: the worker gets replicas again')
  .option('--status', 'changes nothing: shows the replicas that are left, and what each waits for')
  .takes(...WAIT_OPTIONS)
  .examples('drain agent9c1d --wait --timeout 900', 'drain agent9c1d --status', 'drain agent9c1d --undo')
  .plans(({ options }: Call<WaitValues & { undo?: true; status?: true }>, wk: Incarnation) => {
    const waitMs = waitOf(options);
    if (options.undo && waitMs !== null) throw new UsageError('--undo is done at once: leave out --wait.');
    if (options.status && (options.undo || waitMs !== null)) throw new UsageError('--status stands alone.');
    return async (session) => {
      if (options.status) return statusOf(session, wk);
      const { worker } = await session.call(DrainWorker, { wk, drain: !options.undo, actor: OPERATOR });
      if (options.undo) return { json: { worker }, text: `Worker ${wk} gets replicas again.` };
      if (waitMs === null) return { json: { worker }, text: stateText(worker) };
      const last = await untilEmpty(session, wk, waitMs);
      session.terminal.clearStatus();
      return { json: { worker: last }, text: last ? `${wk} is empty: its process can be stopped.` : `${wk} is gone.` };
    };
  });
