import 'reflect-metadata';
import { runProcess } from '@slipway/platform';
import { WorkerConfig } from './config.js';
import { workerParts } from './worker-parts.js';

await runProcess({ service: 'inference-worker', config: WorkerConfig, environment: process.env, parts: workerParts });
