import { Database, lockLosses } from '@slipway/database';
import {
  connectNats,
  createMetrics,
  type Lifecycle,
  type Logger,
  type NatsConnection,
  OpsServer,
  overWithin,
  type Part,
} from '@slipway/platform';
import type { DeploymentsServiceConfig } from './config.js';
import { databaseOptions } from './db/database-options.js';
import { ServiceCore } from './service-core.js';

const WAIT_LOG_MS = 5_000;
const NATS_DRAIN_MS = 1_000;

/** The parts of the process, in the order of their start. */
export function serviceParts(config: DeploymentsServiceConfig, log: Logger, lifecycle: Lifecycle): Part[] {
  const database = new Database(databaseOptions(config, log));
  const metrics = createMetrics('deployments-service');
  lockLosses(metrics);
  const notReady = (): string | null => (lifecycle.state === 'ready' ? core.missing() : lifecycle.state);
  const ops = new OpsServer({ host: config.OPS_HOST, port: config.OPS_PORT, metrics, notReady, log });
  let nats: NatsConnection;
  let core: ServiceCore;
  return [
    { name: 'ops', start: () => ops.start(), stop: () => ops.stop() },
    { name: 'database', start: () => database.open(), stop: () => database.close() },
    {
      name: 'nats',
      start: async () => {
        nats = await connect(config, log);
      },
      stop: () => leave(nats),
    },
    {
      name: 'service',
      start: () => {
        core = new ServiceCore({ config, log, database, nats, metrics });
        return core.start();
      },
      stop: () => core.stop(),
    },
  ];
}

async function connect(config: DeploymentsServiceConfig, log: Logger): Promise<NatsConnection> {
  const waiting = setInterval(() => log.warn('nats.waiting'), WAIT_LOG_MS);
  try {
    return await connectNats({
      url: config.NATS_URL,
      role: 'deployments',
      credentialsDir: config.NATS_CREDENTIALS_DIR,
      name: 'deployments-service',
      log,
    });
  } finally {
    clearInterval(waiting);
  }
}

/** Sends what waits; a server that is away must not keep the process from ending. */
async function leave(nats: NatsConnection): Promise<void> {
  await overWithin(NATS_DRAIN_MS, nats.drain());
  await nats.close();
}
