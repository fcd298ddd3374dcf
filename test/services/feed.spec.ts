import { describe } from 'vitest';
import { KEYS } from './feed-owners.js';
import { PATIENT, promisesOfFeed } from './feed-promises.js';

describe.concurrent('the feed of keys-service, as gateways follow it, keeps the promises of feed-promises.ts', PATIENT, () => {
  promisesOfFeed(KEYS);
});
