import { type Pepper, pepperOf } from '@slipway/platform';
import { ServiceInProcess } from '../services/service-in-process.js';
import { ServiceProcess } from '../services/service-process.js';
import type { NatsAddress } from '../services/test-service.js';

/** The environment's only pepper. */
export const PEPPER: Pepper = pepperOf('p1', Buffer.alloc(32, 0xab));
/** Seals the keys that sign session tokens. */
export const SECRET_KEY = 'cd'.repeat(32);

const SECRETS = { KEY_PEPPERS: `${PEPPER.id}:${PEPPER.secret.toString('hex')}`, SLIPWAY_SECRET_KEY: SECRET_KEY };
type Environment = Readonly<Record<string, string>>;

/** Starts keys-service in the test's process, without waiting until it serves. */
export const startKeysService = (nats: NatsAddress, environment: Environment): ServiceInProcess =>
  new ServiceInProcess('keys-service', nats, { ...SECRETS, ...environment });

/** Starts keys-service in its own process, without waiting until it serves. */
export const spawnKeysService = (nats: NatsAddress, environment: Environment): ServiceProcess =>
  new ServiceProcess('keys-service', nats, { ...SECRETS, DRAIN_MS: '5000', ...environment });
