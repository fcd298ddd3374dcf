import { describe } from 'vitest';
import { DEPLOYMENTS, KEYS } from '../feed-owners.js';
import { PATIENT, promisesOfFeed } from '../feed-promises.js';

describe.concurrent.each([KEYS, DEPLOYMENTS])('the feed of $app', PATIENT, (owner) => {
  promisesOfFeed(owner);
});
