import { KEYS } from './feed-owners.js';
import { promisesOfFeed } from './feed-promises.js';

promisesOfFeed(KEYS);
