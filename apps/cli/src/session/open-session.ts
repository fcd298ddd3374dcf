import type { RpcContract } from '@slipway/contracts';
import { type NatsConnection, RpcClient, UnansweredError, connectNats, createLogger } from '@slipway/platform';
import type { z } from 'zod';
import { CliError } from '../cli-errors.js';
import type { Terminal } from '../terminal.js';
import type { ControlAddress } from './control-address.js';
import { inOperatorsName } from './operator.js';
import type { Session } from './session.js';

/** The server is on this machine or in this network, in milliseconds. */
const CONNECTED_WITHIN_MS = 5_000;
/** A person waits longer than one service waits for another, in milliseconds. */
const ANSWERED_WITHIN_MS = 15_000;

/** Opens a connection or gives up: the connection itself would wait for the server for ever. */
async function connect({ url, credentialsDir }: ControlAddress): Promise<NatsConnection> {
  const opening = connectNats({ url, role: 'ops', credentialsDir, name: 'slipway-cli', log: createLogger('cli', 'silent') });
  opening.catch(() => undefined);
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<null>((resolve) => {
    timer = setTimeout(() => resolve(null), CONNECTED_WITHIN_MS);
  });
  try {
    const connection = await Promise.race([opening, late]);
    if (connection) return connection;
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    if (error instanceof Error && error.name === 'ConfigError') throw new CliError('wrong_configuration', why, {}, { cause: error });
    throw new CliError('not_admitted', `NATS at ${url} does not admit the user ops: ${why}`, {}, { cause: error });
  } finally {
    clearTimeout(timer);
  }
  throw new CliError('not_running', `Nothing answers at ${url}: is Slipway running? npm start starts it.`);
}

function explained(error: UnansweredError, { owner }: RpcContract, { environment, url }: ControlAddress): CliError {
  const service = `${owner}-service`;
  const message =
    error.reason === 'absent'
      ? `${service} is not running in the environment ${environment} at ${url}, or still starting.`
      : `${service} did not answer in time: what was asked for may have happened or not.`;
  return new CliError('unavailable', message, {}, { cause: error });
}

/** Connects as the user `ops`. */
export async function openSession(
  address: ControlAddress,
  { terminal, accountOption }: Pick<Session, 'terminal' | 'accountOption'> & { terminal: Terminal },
): Promise<Session> {
  const connection = await connect(address);
  const rpc = new RpcClient(connection, address.environment);
  return {
    terminal,
    accountOption,
    consoleUrl: address.consoleUrl,
    async call<C extends RpcContract>(contract: C, request: z.input<C['request']>) {
      try {
        return await rpc.call(
          { ...contract, timeoutMs: Math.max(contract.timeoutMs, ANSWERED_WITHIN_MS) },
          inOperatorsName(contract, request),
        );
      } catch (error) {
        throw error instanceof UnansweredError ? explained(error, contract, address) : error;
      }
    },
    close: () => connection.close(),
  };
}
