import { Counter, type Registry } from '@slipway/platform/metrics';

const NAME = 'slipway_lock_lost_total';

/** Counter of advisory locks lost before the process stopped, by lock name; created on first use. */
export const lockLosses = (metrics: Registry): Counter<'lock'> =>
  (metrics.getSingleMetric(NAME) as Counter<'lock'> | undefined) ??
  new Counter({
    name: NAME,
    help: 'Advisory locks of the database that were lost while the process ran.',
    labelNames: ['lock'],
    registers: [metrics],
  });
