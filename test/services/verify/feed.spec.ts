import { describe } from 'vitest';
import { DEPLOYMENTS } from '../feed-owners.js';
import { PATIENT, promisesOfFeed } from '../feed-promises.js';

// The other service runs through the same promises on every change: both have the same publisher.
describe.concurrent('the feed of deployments-service, as gateways follow it, keeps the promises of feed-promises.ts', PATIENT, () => {
  promisesOfFeed(DEPLOYMENTS);
});
