import { Counter } from '@slipway/platform';

/** Terms of this process that ended before it stopped, by the lock's name. Services register it with their metrics. */
export const lockLosses = new Counter({
  name: 'slipway_lock_lost_total',
  help: 'Advisory locks of the database that were lost while the process ran.',
  labelNames: ['lock'],
  registers: [],
});
