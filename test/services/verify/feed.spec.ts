import { DEPLOYMENTS } from '../feed-owners.js';
import { promisesOfFeed } from '../feed-promises.js';

// The other service runs through the same promises on every change: both have the same publisher.
promisesOfFeed(DEPLOYMENTS);
