import type { Pepper } from '@slipway/platform';
import type { Bus } from '../services/bus.js';
import { ServiceProcess } from '../services/service-process.js';

/** The environment's only pepper. */
export const PEPPER: Pepper = { id: 'p1', secret: Buffer.alloc(32, 0xab) };
/** Seals the keys that sign session tokens. */
export const SECRET_KEY = 'cd'.repeat(32);

/** Starts keys-service, without waiting for it. */
export const startKeysService = (bus: Bus, environment: Readonly<Record<string, string>>): ServiceProcess =>
  new ServiceProcess('keys-service', bus, {
    KEY_PEPPERS: `${PEPPER.id}:${PEPPER.secret.toString('hex')}`,
    SLIPWAY_SECRET_KEY: SECRET_KEY,
    ...environment,
  });
