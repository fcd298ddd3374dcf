import 'reflect-metadata';
import { letHeapDouble, runService } from '@slipway/platform/service';
import { inferenceWorker } from './inference-worker.js';

letHeapDouble();
await runService(inferenceWorker, process.env);
