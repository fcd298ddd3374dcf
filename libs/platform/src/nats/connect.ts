import { inboxPrefix, type Role } from '@slipway/contracts';
import {
  type Authenticator,
  connect,
  type ConnectionOptions,
  errors,
  type NatsConnection,
  type ReconnectToServerHandler,
} from '@nats-io/transport-node';
import { ConfigError } from '../config/config-error.js';
import type { Logger } from '../log/logger.js';
import { readCredentials, signedLogin } from './credentials.js';
import type { UserKey } from './identities.js';
import { clientTls, type NatsTlsFiles, readNatsTls } from './tls/tls-files.js';
import { randomToken } from '../secrets/random-token.js';
import { setInbox } from './questions.js';
import { LEAST_NATS_SERVER, isOlder } from './server-version.js';
import { leaveHungServer, watchConnection } from './watch-connection.js';

/** The NATS user of one process, whose permissions contain its name. */
export interface NatsIdentity {
  readonly wk: string;
  readonly key: UserKey;
  /** The newest user JWT; read at each reconnect. */
  readonly jwt: string;
}

/** Servers and credentials of a NATS connection. */
export interface NatsOptions {
  /** One or more server addresses, separated by commas. */
  readonly url: string;
  readonly role: Role;
  /** Folder of credentials; absent only where the server needs none, as in tests. */
  readonly credentialsDir?: string | undefined;
  /** Identity of a named role, instead of credentials from a folder. */
  readonly identity?: NatsIdentity | undefined;
  /** Files for TLS; absent: TLS where the server offers it, with the authorities that Node trusts. */
  readonly tls?: NatsTlsFiles | undefined;
  /** Shown in the server's monitoring. */
  readonly name: string;
  readonly log: Logger;
  /**
   * Called when the connection has ended for good, such as after the server refused the credentials at a reconnect. Absent: the
   * process ends with the error, because only a new process reads its credentials again.
   */
  readonly lost?: (error: Error) => void;
}

/**
 * Opens a connection that waits for the server at start and reconnects for ever. A dead server is detected at once by its closed
 * socket, a hung one within 2 s; see `leaveHungServer`.
 * @throws ConfigError when the credentials are missing, malformed or refused, when the files for TLS are missing or malformed, and for a service when the server is too old.
 */
export async function connectNats(options: NatsOptions): Promise<NatsConnection> {
  const { url, role, identity, tls, name, log, lost = endProcess } = options;
  if (tls) await readNatsTls(tls);
  const authenticator = await authenticatorOf(options);
  const inbox = `${inboxPrefix(role)}.${identity?.wk ?? randomToken()}`;
  const nats = await connectAs(role, {
    servers: url.split(',').map((server) => server.trim()),
    name,
    inboxPrefix: inbox,
    maxReconnectAttempts: -1,
    reconnectToServer: longestUndialled,
    reconnectTimeWait: 100,
    reconnectJitter: 100,
    timeout: 2_000,
    waitOnFirstConnect: true,
    noAsyncTraces: true,
    noEcho: true,
    ...(authenticator && { authenticator }),
    ...(tls && { tls: clientTls(url, tls) }),
  });
  roles.set(nats, role);
  setInbox(nats, inbox);
  await refuseOldServer(nats, role);
  warnOfOldServer(nats, log);
  watchConnection(nats, {
    disconnected: () => log.warn({ connection: name }, 'nats.disconnected'),
    reconnected: () => {
      log.info({ connection: name, server: nats.getServer() }, 'nats.reconnected');
      warnOfOldServer(nats, log);
    },
  });
  leaveHungServer(nats, () => log.warn({ connection: name, server: nats.getServer() }, 'nats.server_hangs'));
  void logErrors(nats, name, log);
  void nats.closed().then((error) => {
    if (error) lost(error);
  });
  return nats;
}

/** Role of each connection. */
const roles = new WeakMap<NatsConnection, Role>();

/** The role of a connection made by `connectNats`. @throws TypeError for any other connection */
export function roleOf(nats: NatsConnection): Role {
  const role = roles.get(nats);
  if (role === undefined) throw new TypeError('This connection was not made by connectNats.');
  return role;
}

async function authenticatorOf({ role, credentialsDir, identity }: NatsOptions): Promise<Authenticator | undefined> {
  if (identity) return signedLogin(() => identity.jwt, identity.key.seed);
  return credentialsDir === undefined ? undefined : readCredentials(credentialsDir, role);
}

function warnOfOldServer(nats: NatsConnection, log: Logger): void {
  const version = nats.info?.version;
  if (version !== undefined && isOlder(version))
    log.error({ server: nats.getServer(), version, least: LEAST_NATS_SERVER }, 'nats.server_too_old');
}

/**
 * Roles that do not start with a server that is too old. Only their start is refused: a roll-out stops at its first new process,
 * and running processes continue. Processes of workers are excluded, because each runner is a new process.
 */
const STRICT: readonly Role[] = ['gateway', 'keys', 'deployments', 'tuning', 'console', 'boot'];

async function refuseOldServer(nats: NatsConnection, role: Role): Promise<void> {
  const version = nats.info?.version;
  if (version === undefined || !STRICT.includes(role) || !isOlder(version)) return;
  const server = nats.getServer();
  await nats.close();
  throw new ConfigError([`NATS_URL: the nats-server at ${server} is ${version}; ${LEAST_NATS_SERVER} or newer is needed`]);
}

/** Dials another server than the lost one, if there is one. By default the client dials the lost one first, and waits if it hangs. */
const longestUndialled: ReconnectToServerHandler = (servers) =>
  servers.reduce((longest, server) => (server.lastConnect < longest.lastConnect ? server : longest));

function endProcess(error: Error): never {
  throw error;
}

async function connectAs(role: Role, options: ConnectionOptions): Promise<NatsConnection> {
  try {
    return await connect(options);
  } catch (error) {
    if (!(error instanceof errors.AuthorizationError)) throw error;
    const problem = options.authenticator
      ? `the server refuses the credentials of ${role}`
      : 'is not set, and the server wants credentials';
    throw new ConfigError([`NATS_CREDENTIALS_DIR: ${problem}`]);
  }
}

async function logErrors(nats: NatsConnection, name: string, log: Logger): Promise<void> {
  for await (const status of nats.status()) {
    if (status.type === 'error') log.error({ connection: name, err: status.error }, 'nats.error');
    if (status.type === 'slowConsumer') log.warn({ connection: name, pending: status.pending }, 'nats.slow_consumer');
  }
}
