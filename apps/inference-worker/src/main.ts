import 'reflect-metadata';
import { runService } from '@slipway/platform/service';
import { inferenceWorker } from './inference-worker.js';

await runService(inferenceWorker, process.env);
