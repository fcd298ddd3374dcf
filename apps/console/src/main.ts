import 'reflect-metadata';
import { runService } from '@slipway/platform';
import { consoleService } from './console-service.js';

await runService(consoleService, process.env);
