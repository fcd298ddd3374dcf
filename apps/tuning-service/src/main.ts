import 'reflect-metadata';
import { runService } from '@slipway/platform/service';
import { tuningService } from './tuning-service.js';

await runService(tuningService, process.env);
