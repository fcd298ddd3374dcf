import {
  isServiceError,
  processNameOf,
  type ReadProcess,
  type Role,
  type RpcContract,
  type SetLogLevel,
  settingsOwnerOf,
} from '@slipway/contracts';
import type { GatheredReport } from '@slipway/platform';
import type { z } from 'zod';
import { CliError } from '../cli-errors.js';
import { isAbsent } from '../session/connect.js';
import type { Session } from '../session/session.js';

/** The name of a process's kind, as `status` shows it. */
export const kindOf = ({ role }: Pick<GatheredReport, 'role'>): string => processNameOf(role as Role);

/** Kinds with their instances, for a name that nothing has. */
function namesText(reports: readonly GatheredReport[]): string {
  const kinds = [...new Set(reports.map(kindOf))].toSorted();
  return kinds
    .map(
      (kind) =>
        `${kind} (${reports
          .filter((one) => kindOf(one) === kind)
          .map(({ wk }) => wk)
          .join(', ')})`,
    )
    .join(', ');
}

/**
 * The processes of a name: all of one kind, or one instance.
 * @throws CliError `process_not_found` with the names that there are
 */
async function processesNamed(session: Session, name: string): Promise<GatheredReport[]> {
  const reports = (await session.processes?.(name))?.reports ?? [];
  const named = reports.filter((one) => one.wk === name || one.role === name || kindOf(one) === name);
  if (named.length > 0) return named.toSorted((one, other) => `${one.host} ${one.wk}`.localeCompare(`${other.host} ${other.wk}`));
  const known = reports.length === 0 ? 'No process of this environment tells of itself.' : `There are: ${namesText(reports)}.`;
  throw new CliError('process_not_found', `There is no process "${name}". ${known}`, {
    processes: reports.map(({ role, wk }) => ({ role, wk })),
  });
}

/** Calls of which each process answers its own. */
type ProcessRpc = (typeof ReadProcess | typeof SetLogLevel)['gateway'] & RpcContract;

/** What a process answered, or why it did not. */
interface Outcome<T> {
  readonly of: GatheredReport;
  readonly answer: T | null;
  readonly silent: string | null;
}

/** What the processes of a name answered. */
export interface Answers<T> {
  readonly answered: readonly { readonly of: GatheredReport; readonly answer: T }[];
  /** Those that did not, in sentences. */
  readonly silent: readonly string[];
}

function silenceOf(one: GatheredReport, error: unknown): string {
  const who = `${kindOf(one)} ${one.wk} at ${one.host}`;
  if (isAbsent(error))
    return `${who} (release ${one.release}) does not answer: it has ended, or it or its nats.conf is of an older release.`;
  if (error instanceof CliError || isServiceError(error)) return `${who}: ${error.message}`;
  throw error;
}

/**
 * Asks all processes of a name at once.
 * @throws CliError `process_not_found`; `process_silent` when none of them answers
 */
export async function askProcesses<C extends ProcessRpc>(
  session: Session,
  name: string,
  contracts: Readonly<Record<string, C>>,
  request: z.input<C['request']>,
): Promise<Answers<z.output<C['reply']>>> {
  const ask = async (of: GatheredReport): Promise<Outcome<z.output<C['reply']>>> => {
    const contract = contracts[settingsOwnerOf(of.role) ?? ''];
    if (!contract) return { of, answer: null, silent: `${kindOf(of)} ${of.wk} does not answer this.` };
    try {
      return { of, answer: await session.call(contract, request, { wk: of.wk }), silent: null };
    } catch (error) {
      return { of, answer: null, silent: silenceOf(of, error) };
    }
  };
  const outcomes = await Promise.all((await processesNamed(session, name)).map(ask));
  const answered = outcomes.flatMap(({ of, answer }) => (answer === null ? [] : [{ of, answer }]));
  const silent = outcomes.flatMap((one) => one.silent ?? []);
  if (answered.length === 0) throw new CliError('process_silent', silent.join('\n'));
  return { answered, silent };
}
