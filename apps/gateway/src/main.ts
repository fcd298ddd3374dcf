import 'reflect-metadata';
import { createLogger, Lifecycle, loadConfig, runProcess } from '@slipway/platform';
import { GatewayConfig } from './config.js';
import { gatewayParts } from './gateway-parts.js';

const config = loadConfig(GatewayConfig, process.env);
const log = createLogger('gateway', config.LOG_LEVEL);
const lifecycle = new Lifecycle(log, config.DRAIN_MS);
await runProcess({ log, lifecycle, drainMs: config.DRAIN_MS, parts: gatewayParts(config, log, lifecycle) });
