import 'reflect-metadata';
import { runService } from '@slipway/platform/service';
import { trainingWorker } from './training-worker.js';

await runService(trainingWorker, process.env);
