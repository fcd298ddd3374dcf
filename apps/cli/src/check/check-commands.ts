import { isServiceError, ReadAudit, ReadDeploymentAudit, ReadTuningAudit } from '@slipway/contracts';
import { CliError } from '../cli-errors.js';
import { type CliCommand, command } from '../command.js';
import { isAbsent } from '../session/connect.js';
import type { Session } from '../session/session.js';
import { table } from '../table.js';
import { allConnected } from '../workers/connected-workers.js';
import { allWorkers } from '../workers/worker-commands.js';
import { inTheWay, processTable, releasesText, type SeenProcesses } from './releases.js';

/** One line of the report. */
interface Check {
  readonly name: string;
  readonly state: 'ok' | 'warning' | 'failed';
  readonly detail: string;
}

const ms = (since: number): string => `${(performance.now() - since).toFixed(0)} ms`;

async function nats({ server }: Session): Promise<Check> {
  const name = 'nats';
  const facts = await server?.();
  if (!facts) return { name, state: 'failed', detail: 'the server does not answer' };
  const { version, least, recommended, isTooOld, isOld, encrypted, roundTripMs } = facts;
  const place = `nats-server ${version}, ${encrypted ? 'TLS' : 'not encrypted'}, ${roundTripMs.toFixed(1)} ms`;
  if (isTooOld) return { name, state: 'failed', detail: `${place}; ${least} or newer is needed` };
  if (isOld) return { name, state: 'warning', detail: `${place}; ${recommended} has all known fixes` };
  return { name, state: 'ok', detail: place };
}

/** Reads past the end of each log: a service answers, and so does its database. */
const BEYOND = Number.MAX_SAFE_INTEGER;
const READS = {
  'keys-service': (session: Session) => session.call(ReadAudit, { after: BEYOND }),
  'deployments-service': (session: Session) => session.call(ReadDeploymentAudit, { after: BEYOND }),
  'tuning-service': (session: Session) => session.call(ReadTuningAudit, { after: BEYOND }),
};
/** Services without which everything else works. */
const OPTIONAL: readonly string[] = ['tuning-service'];

async function serviceCheck(session: Session, name: string, read: (session: Session) => Promise<unknown>): Promise<Check> {
  const since = performance.now();
  try {
    await read(session);
    return { name, state: 'ok', detail: `answers, and its database, in ${ms(since)}` };
  } catch (error) {
    if (isAbsent(error)) return { name, state: OPTIONAL.includes(name) ? 'warning' : 'failed', detail: 'is not running' };
    if (error instanceof CliError || isServiceError(error)) return { name, state: 'failed', detail: `${error.code}: ${error.message}` };
    throw error;
  }
}

async function drainedText(session: Session): Promise<string> {
  try {
    const connected = await allConnected(session);
    const drained = connected.filter((one) => one.drained_since !== null).length;
    return `, ${connected.length} connected${drained > 0 ? `, ${drained} of them drained` : ''}`;
  } catch (error) {
    if (isAbsent(error)) return '';
    throw error;
  }
}

async function workers(session: Session): Promise<Check> {
  const name = 'workers';
  try {
    const joined = (await allWorkers(session)).filter((one) => one.expelled_at === null);
    return { name, state: 'ok', detail: `${joined.length} joined${await drainedText(session)}` };
  } catch (error) {
    if (error instanceof CliError || isServiceError(error)) return { name, state: 'failed', detail: `${error.code}: ${error.message}` };
    throw error;
  }
}

function releases(seen: SeenProcesses): Check {
  const [name, old] = ['releases', inTheWay(seen)];
  if (old.length > 0) return { name, state: 'warning', detail: old.join('; ') };
  return { name, state: 'ok', detail: releasesText(seen.reports) || 'no process tells its own' };
}

/** What `status` and `check` show. */
interface Shown {
  readonly checks: readonly Check[];
  readonly processes: SeenProcesses['reports'];
}

async function look(session: Session): Promise<Shown> {
  const services = Object.entries(READS).map(([name, read]) => serviceCheck(session, name, read));
  const [seen, ...checks] = await Promise.all([session.processes?.(), nats(session), ...services, workers(session)]);
  return { checks: seen ? [...checks, releases(seen)] : checks, processes: seen?.reports ?? [] };
}

function textOf({ checks, processes }: Shown): string {
  const summary = table(
    ['WHAT', 'STATE', 'DETAIL'],
    checks.map((one) => [one.name, one.state, one.detail]),
  );
  return processes.length === 0 ? summary : `${summary}\n\n${processTable(processes)}`;
}

/** `npx slipway status`. */
export const status: CliCommand = command(
  'status',
  'Shows whether NATS, the services and their databases answer, and the release of each process.',
).plans(() => async (session) => {
  const shown = await look(session);
  return { json: shown, text: textOf(shown) };
});

/** `npx slipway check`. */
export const check: CliCommand = command('check', 'Does the same as "status", and fails when one of them does not.').plans(
  () => async (session) => {
    const shown = await look(session);
    const failed = shown.checks.filter((one) => one.state === 'failed');
    if (failed.length === 0) return { json: shown, text: textOf(shown) };
    throw new CliError('check_failed', `${failed.map((one) => one.name).join(', ')} failed.\n${textOf(shown)}`, { ...shown });
  },
);
