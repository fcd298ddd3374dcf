import { setTimeout as delay } from 'node:timers/promises';
import { processNameOf, type RpcContract } from '@slipway/contracts';
import {
  findTlsTrouble,
  gatherReports,
  heardOn,
  isOlder,
  LEAST_NATS_SERVER,
  RECOMMENDED_NATS_SERVER,
  type NatsConnection,
  RpcClient,
  UnansweredError,
  connectNats,
  createLogger,
  loadConfig,
} from '@slipway/platform';
import { z } from 'zod';
import { CliError } from '../cli-errors.js';
import { Config } from '../config.js';
import { type ControlAddress, findControl } from './control-address.js';
import { OPERATOR, type ServerFacts, type Session } from './session.js';

/** How long a connection to one server may take, in milliseconds. The name of one that is down may need as long to be unknown. */
const CONNECTED_WITHIN_MS = 5_000;
/** How long an answer may take, in milliseconds: a person waits longer than one service for another. */
const ANSWERED_WITHIN_MS = 15_000;

/** How long a connection to any of the servers may take, in milliseconds: those that are down may be tried first. */
export const connectedWithinMs = (url: string): number => CONNECTED_WITHIN_MS * url.split(',').length;

/** Connects, or gives up after a while: the NATS client itself retries for ever. */
async function connect({ url, credentialsDir, tls }: ControlAddress): Promise<NatsConnection> {
  const opening = connectNats({ url, role: 'ops', credentialsDir, tls, name: 'slipway-cli', log: createLogger('cli', 'silent') });
  opening.catch(() => undefined);
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<null>((resolve) => {
    timer = setTimeout(() => resolve(null), connectedWithinMs(url));
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
  const trouble = await findTlsTrouble(url, tls);
  if (trouble) throw new CliError('not_secure', `${trouble.server}: ${trouble.text}.`);
  throw new CliError('not_running', `Nothing answers at ${url}: is Slipway running? npm start starts it.`);
}

function explained(error: UnansweredError, { owner }: RpcContract, { environment, url }: ControlAddress): CliError {
  const service = processNameOf(owner);
  const message =
    error.reason === 'absent'
      ? `${service} is not running in the environment ${environment} at ${url}, or still starting.`
      : `${service} did not answer in time: what was asked for may have happened or not.`;
  return new CliError('unavailable', message, {}, { cause: error });
}

/** Whether a call failed because the service does not run, as tuning-service after `npm start -- --no-tuning`. */
export const isAbsent = (error: unknown): boolean =>
  error instanceof CliError && error.cause instanceof UnansweredError && error.cause.reason === 'absent';

/** A request with the operator as its actor, where its contract asks for one. */
function withActor<Q>({ request: schema }: RpcContract, request: Q): Q {
  return schema instanceof z.ZodObject && 'actor' in schema.shape ? { actor: OPERATOR, ...request } : request;
}

/** How long the server may take to answer a ping, in milliseconds. */
const PING_MS = 5_000;

async function factsOf(connection: NatsConnection): Promise<ServerFacts | null> {
  const { info } = connection;
  const roundTripMs = await Promise.race([connection.rtt(), delay(PING_MS, null, { ref: false })]).catch(() => null);
  if (!info || roundTripMs === null) return null;
  const { version, tls_required: required, tls_available: available } = info;
  const [least, recommended] = [LEAST_NATS_SERVER, RECOMMENDED_NATS_SERVER];
  const encrypted = required === true || available === true;
  return { version, least, recommended, isTooOld: isOlder(version), isOld: isOlder(version, recommended), encrypted, roundTripMs };
}

/** Connects as the user `ops`. */
async function openSession(address: ControlAddress, { terminal, accountOption }: SessionOptions): Promise<Session> {
  const connection = await connect(address);
  const rpc = new RpcClient(connection, address.environment);
  return {
    terminal,
    accountOption,
    consoleUrl: address.consoleUrl,
    async call<C extends RpcContract>(contract: C, request: z.input<C['request']>, tokens?: Readonly<Record<string, string>>) {
      try {
        const timeoutMs = Math.max(contract.timeoutMs, ANSWERED_WITHIN_MS);
        return await rpc.call({ ...contract, timeoutMs }, withActor(contract, request), tokens);
      } catch (error) {
        throw error instanceof UnansweredError ? explained(error, contract, address) : error;
      }
    },
    server: () => factsOf(connection),
    processes: async (wanted) => ({
      reports: await gatherReports(connection, address.environment, wanted),
      lowest: (role) => heardOn(connection).lowest(role),
    }),
    close: () => connection.close(),
  };
}

function readConfig(environment: NodeJS.ProcessEnv): Config {
  try {
    return loadConfig(Config, environment);
  } catch (error) {
    throw new CliError('wrong_configuration', error instanceof Error ? error.message : String(error), {}, { cause: error });
  }
}

/** Where the services may be named. */
export interface ConnectionSources {
  readonly environment: NodeJS.ProcessEnv;
  readonly dataDir: string | undefined;
  readonly defaultDataDir: string;
}

type SessionOptions = Pick<Session, 'terminal' | 'accountOption'>;

/**
 * Finds the services and connects to them.
 * @throws CliError when they are not there
 */
export async function connectServices({ environment, ...folders }: ConnectionSources, options: SessionOptions): Promise<Session> {
  return openSession(await findControl({ config: readConfig(environment), ...folders }), options);
}
