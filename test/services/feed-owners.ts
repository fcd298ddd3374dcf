import {
  type AccountId,
  CreateAccount,
  CreateDeployment,
  CreateKey,
  DeploymentFeed,
  type DeploymentFeedRecord,
  type FeedContract,
  KeyFeed,
  type KeyFeedRecord,
  RevokeKey,
  type RpcContract,
  StopDeployment,
} from '@slipway/contracts';
import { macOf, pepperOf } from '@slipway/platform';
import type { z } from 'zod';
import { MODELS, PEPPER_SECRET } from './service-process.js';
import type { AppName } from './test-service.js';

/** Asks a service. */
export type Ask = <C extends RpcContract>(contract: C, request: z.input<C['request']>) => Promise<z.output<C['reply']>>;

export type AnyRecord = KeyFeedRecord | DeploymentFeedRecord;

/** Something that clients may use until it is withdrawn: a key until it is revoked, a deployment until it is stopped. */
export interface Thing {
  /** Name of its record in the feed, which another thing may get after a restore. */
  readonly record: string;
  readonly id: number;
  readonly account: AccountId;
  /** What tells it from every other thing of the same name. */
  readonly mark: string;
}

export type Sight = 'open' | 'closed' | 'unknown';

/** A service that owns a feed, as far as its feed's readers and its callers can tell. */
export interface FeedOwner {
  readonly app: AppName;
  readonly feed: FeedContract<AnyRecord>;
  readonly environment: (database: string) => Record<string, string>;
  /** An account for the things of one test. */
  readonly account: (ask: Ask) => Promise<AccountId>;
  readonly make: (ask: Ask, account: AccountId) => Promise<Thing>;
  /** Ends the use of a thing; repeating it is harmless. @returns true when the service says that every live reader applies it */
  readonly withdraw: (ask: Ask, thing: Thing) => Promise<boolean>;
  /** Whether the record lets clients use what it is about. */
  readonly isOpen: (record: AnyRecord) => boolean;
  readonly markOf: (record: AnyRecord) => string;
}

const PEPPER = pepperOf('p1', Buffer.from(PEPPER_SECRET, 'hex'));

let made = 0;
const nextName = (): string => `thing-${(made += 1)}`;

/** keys-service, whose things are keys. */
export const KEYS: FeedOwner = {
  app: 'keys-service',
  feed: KeyFeed,
  environment: (database) => ({
    KEYS_DATABASE_URL: database,
    KEY_PEPPERS: `${PEPPER.id}:${PEPPER_SECRET}`,
    SLIPWAY_SECRET_KEY: PEPPER_SECRET,
  }),
  account: async (ask) => (await ask(CreateAccount, { slug: nextName() })).id,
  make: async (ask, account) => {
    const { id, value } = await ask(CreateKey, { account, name: 'a key' });
    return { record: `key:${id}`, id, account, mark: macOf(value, PEPPER).toString('base64url') };
  },
  withdraw: async (ask, { account, id }) => (await ask(RevokeKey, { account, key: id })).propagated,
  isOpen: (record) => record.type === 'key' && record.state === 'active',
  markOf: (record) => (record.type === 'key' ? record.mac : ''),
};

/** deployments-service, whose things are deployments. */
export const DEPLOYMENTS: FeedOwner = {
  app: 'deployments-service',
  feed: DeploymentFeed,
  environment: (database) => ({ DEPLOYMENTS_DATABASE_URL: database, SLIPWAY_SECRET_KEY: PEPPER_SECRET, MODEL_DIRS: MODELS }),
  account: async () => (made += 1) as AccountId,
  // Each under an account of its own: the one thing in a record that its creator chose.
  make: async (ask) => {
    const account = (made += 1) as AccountId;
    const { id } = await ask(CreateDeployment, {
      account,
      name: nextName(),
      source: { kind: 'file', path: `${MODELS}/svc-tiny.Q8_0.gguf` },
    });
    return { record: `deployment:${id}`, id, account, mark: String(account) };
  },
  withdraw: async (ask, { account, id }) => {
    await ask(StopDeployment, { account, deployment: id });
    return false;
  },
  isOpen: (record) => record.type === 'deployment' && record.desired === 'ready',
  markOf: (record) => (record.type === 'deployment' ? String(record.account) : ''),
};
