import { createMetrics, type Lifecycle, type Logger, NatsLink, OpsServer, type Part } from '@slipway/platform';
import type { ConsoleConfig } from './config.js';
import { Console } from './console.js';

const NAME = 'console';

/** The parts of the process, in the order of their start. They stop in reverse: the HTTP door closes while all else still works. */
export function consoleParts(config: ConsoleConfig, log: Logger, lifecycle: Lifecycle): Part[] {
  const { NATS_URL: url, NATS_CREDENTIALS_DIR: credentialsDir, OPS_HOST: host, OPS_PORT: port } = config;
  const link = new NatsLink({ url, role: 'console', credentialsDir, name: NAME, log });
  const door = new Console({ config, log, link, state: () => lifecycle.state });
  const ops = new OpsServer({ host, port, metrics: createMetrics(NAME), notReady: () => door.notReady(), log });
  return [
    { name: 'ops', start: () => ops.start(), stop: () => ops.stop() },
    { name: 'nats', start: () => link.open(), stop: () => link.close() },
    { name: 'feed', start: () => door.follow(), stop: () => door.unfollow() },
    { name: 'http', start: () => door.listen(), stop: (deadlineMs) => door.drain(deadlineMs) },
  ];
}
