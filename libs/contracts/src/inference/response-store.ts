import type { ValueStore } from '../value-store.js';

const MIB = 1024 * 1024;

/** Responses that clients may refer to in later requests, of the deployments that store them. */
export const ResponseStore: ValueStore = {
  name: 'responses',
  role: 'gateway',
  bytesMax: 512 * MIB,
  ageMs: 3_600_000,
};

/** Every value store that an environment needs. */
export const VALUE_STORES: readonly ValueStore[] = [ResponseStore];
