import { inboxPrefix, type Role } from '@slipway/contracts';
import {
  type Authenticator,
  connect,
  type ConnectionOptions,
  errors,
  jwtAuthenticator,
  type NatsConnection,
  type ReconnectToServerHandler,
} from '@nats-io/transport-node';
import { ConfigError } from '../config/config-error.js';
import type { Logger } from '../log/logger.js';
import { readCredentials } from './credentials.js';
import type { UserKey } from './identities.js';
import { randomToken } from '../secrets/random-token.js';
import { setInbox } from './questions.js';
import { LEAST_NATS_SERVER, isOlder } from './server-version.js';

/** The user of one process, whose name its permissions hold. */
export interface NatsIdentity {
  readonly wk: string;
  readonly key: UserKey;
  /** The newest proof: read at each reconnect. */
  readonly jwt: string;
}

/** Where and as whom a process connects to NATS. */
export interface NatsOptions {
  /** One or more server addresses, separated by commas. */
  readonly url: string;
  readonly role: Role;
  /** Folder of credentials; absent only where the server asks for none, as in tests. */
  readonly credentialsDir?: string | undefined;
  /** In place of credentials from a folder: those of a named role. */
  readonly identity?: NatsIdentity | undefined;
  /** Shown in the server's monitoring. */
  readonly name: string;
  readonly log: Logger;
  /**
   * Hears of the end of a connection that will not come back, as when the server refuses the credentials at a
   * reconnect. Absent: the process ends with the error, since only a new one reads its credentials again.
   */
  readonly lost?: (error: Error) => void;
}

/** What the owner of a connection wants to hear of it. */
export interface ConnectionEvents {
  disconnected?(): void;
  reconnected?(): void;
}

/**
 * Opens a connection that never gives up: it waits for the server at start and reconnects for ever.
 * A dead server is noticed by its closed socket at once, a hung one by two missed pings (about 2 s).
 * @throws ConfigError when the credentials are missing, malformed or refused, and for a service when the server is too old.
 */
export async function connectNats(options: NatsOptions): Promise<NatsConnection> {
  const { url, role, identity, name, log, lost = endProcess } = options;
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
    // A service that nobody hears for 3 s is taken for absent: it must be somewhere else before.
    pingInterval: 750,
    maxPingOut: 2,
    timeout: 2_000,
    waitOnFirstConnect: true,
    noAsyncTraces: true,
    noEcho: true,
    ...(authenticator && { authenticator }),
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
  void logErrors(nats, name, log);
  void nats.closed().then((error) => {
    if (error) lost(error);
  });
  return nats;
}

/** Whom the server takes each connection for. */
const roles = new WeakMap<NatsConnection, Role>();

/** The role of a connection that `connectNats` made. @throws TypeError for another one */
export function roleOf(nats: NatsConnection): Role {
  const role = roles.get(nats);
  if (role === undefined) throw new TypeError('This connection was not made by connectNats.');
  return role;
}

async function authenticatorOf({ role, credentialsDir, identity }: NatsOptions): Promise<Authenticator | undefined> {
  if (identity) return jwtAuthenticator(() => identity.jwt, new TextEncoder().encode(identity.key.seed));
  return credentialsDir === undefined ? undefined : readCredentials(credentialsDir, role);
}

function warnOfOldServer(nats: NatsConnection, log: Logger): void {
  const version = nats.info?.version;
  if (version !== undefined && isOlder(version))
    log.error({ server: nats.getServer(), version, least: LEAST_NATS_SERVER }, 'nats.server_too_old');
}

/**
 * Those who would rather not start than rely on what an old server promises. Only their start is refused: a roll-out ends at the
 * first new process, while those that run go on, wherever they reconnect. Processes of workers are left out: each runner is one.
 */
const STRICT: readonly Role[] = ['gateway', 'keys', 'deployments', 'console', 'boot'];

async function refuseOldServer(nats: NatsConnection, role: Role): Promise<void> {
  const version = nats.info?.version;
  if (version === undefined || !STRICT.includes(role) || !isOlder(version)) return;
  const server = nats.getServer();
  await nats.close();
  throw new ConfigError([`NATS_URL: the nats-server at ${server} is ${version}; ${LEAST_NATS_SERVER} or newer is needed`]);
}

/** Never the server that was just lost, where there is another: by itself the client would dial that one first, and wait for it where it hangs. */
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

/** Calls back on every loss and return of a connection, until it is closed. */
export function watchConnection(nats: NatsConnection, events: ConnectionEvents): void {
  void (async () => {
    for await (const status of nats.status()) {
      if (status.type === 'disconnect') events.disconnected?.();
      if (status.type === 'reconnect') events.reconnected?.();
    }
  })();
}

async function logErrors(nats: NatsConnection, name: string, log: Logger): Promise<void> {
  for await (const status of nats.status()) {
    if (status.type === 'error') log.error({ connection: name, err: status.error }, 'nats.error');
    if (status.type === 'slowConsumer') log.warn({ connection: name, pending: status.pending }, 'nats.slow_consumer');
  }
}
