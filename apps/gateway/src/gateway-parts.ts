import { createMetrics, type Lifecycle, type Logger, OpsServer, type Part } from '@slipway/platform';
import type { GatewayConfig } from './config.js';
import { Gateway } from './gateway.js';
import { NatsLinks } from './nats-links.js';

const NAME = 'gateway';

/** The parts of the process, in the order of their start. They stop in reverse: the HTTP door closes while all else still works. */
export function gatewayParts(config: GatewayConfig, log: Logger, lifecycle: Lifecycle): Part[] {
  const metrics = createMetrics(NAME);
  const links = new NatsLinks(config, log);
  const gateway = new Gateway({ config, log, metrics, links, state: () => lifecycle.state });
  const ops = new OpsServer({ host: config.OPS_HOST, port: config.OPS_PORT, metrics, notReady: () => gateway.notReady(), log });
  return [
    { name: 'ops', start: () => ops.start(), stop: () => ops.stop() },
    { name: 'nats', start: () => links.open(), stop: () => links.close() },
    { name: 'feeds', start: () => gateway.follow(), stop: () => gateway.unfollow() },
    { name: 'routing', start: () => gateway.connect(), stop: () => gateway.disconnect() },
    { name: 'http', start: () => gateway.listen(), stop: (deadlineMs) => gateway.drain(deadlineMs) },
  ];
}
