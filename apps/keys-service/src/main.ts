import 'reflect-metadata';
import { createLogger, Lifecycle, loadConfig, runProcess } from '@slipway/platform';
import { KeysConfig } from './config.js';
import { serviceParts } from './service-parts.js';

const config = loadConfig(KeysConfig, process.env);
const log = createLogger('keys-service', config.LOG_LEVEL);
const lifecycle = new Lifecycle(log, config.DRAIN_MS);
await runProcess({ log, lifecycle, drainMs: config.DRAIN_MS, parts: serviceParts(config, log, lifecycle) });
