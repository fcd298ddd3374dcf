import 'reflect-metadata';
import { createLogger, Lifecycle, loadConfig, runProcess } from '@slipway/platform';
import { WorkerConfig } from './config.js';
import { workerParts } from './worker-parts.js';

const config = loadConfig(WorkerConfig, process.env);
const log = createLogger('inference-worker', config.LOG_LEVEL);
const lifecycle = new Lifecycle(log, config.DRAIN_MS);
await runProcess({ log, lifecycle, drainMs: config.DRAIN_MS, parts: workerParts(config, log, lifecycle) });
