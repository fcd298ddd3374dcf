import { hostname } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { Incarnation, JoinWorker, type WorkerIdentity } from '@slipway/contracts';
import {
  connectNats,
  hasCredentials,
  type Logger,
  type NatsLogin,
  type NatsTlsConfig,
  natsTlsOf,
  newUserKey,
  nuid,
  RpcClient,
  type UserKey,
} from '@slipway/platform';
import type { WorkerConfig } from '../config.js';

/** Pause before keys-service is asked again, in milliseconds. */
const AGAIN_MS = 1_000;

/** A name that a process of this worker has on NATS, with the newest proof of it. */
export interface HeldName {
  readonly wk: Incarnation;
  readonly key: UserKey;
  jwt: string;
  /** Milliseconds since the epoch. */
  expiresAt: number;
}

/** As whom an agent connects: under its own name, or absent as the user that all workers share. */
export type AgentLogin = NatsLogin & { readonly identity?: HeldName | undefined };

export const heldName = (key: UserKey, { wk, jwt, expires_at: end }: WorkerIdentity): HeldName => ({
  wk,
  key,
  jwt,
  expiresAt: Date.parse(end),
});

type JoinOptions = Pick<WorkerConfig, 'NATS_URL' | 'NATS_CREDENTIALS_DIR' | 'SLIPWAY_ENV'> & NatsTlsConfig;

/**
 * Asks keys-service once for the NATS user of a name, over a connection that can do nothing else.
 * @throws ServiceError as `JoinWorker`, `unavailable` without an answer
 */
export async function askToJoin(config: JoinOptions, log: Logger, { wk, key }: Pick<HeldName, 'wk' | 'key'>): Promise<WorkerIdentity> {
  const { NATS_URL: url, NATS_CREDENTIALS_DIR: credentialsDir, SLIPWAY_ENV: env } = config;
  const nats = await connectNats({ url, role: 'join', credentialsDir, tls: natsTlsOf(config), name: `join ${wk}`, log });
  try {
    return await new RpcClient(nats, env).call(JoinWorker, { wk, key: key.public, host: hostname() });
  } finally {
    await nats.close();
  }
}

/**
 * Gives this process a name on NATS, waiting for keys-service as long as it takes.
 * @returns null where the credentials are those of the shared user `worker`: then every worker may hear what any may
 */
export async function joinAsAgent(config: JoinOptions, log: Logger): Promise<HeldName | null> {
  const { NATS_CREDENTIALS_DIR: folder } = config;
  if (folder === undefined || !(await hasCredentials(folder, 'join'))) return null;
  const name = { wk: Incarnation.parse(nuid.next()), key: newUserKey() };
  for (let tries = 0; ; tries += 1) {
    try {
      return heldName(name.key, await askToJoin(config, log, name));
    } catch (error) {
      if (tries === 0) log.warn({ err: error }, 'agent.join_waits');
      await delay(AGAIN_MS);
    }
  }
}
