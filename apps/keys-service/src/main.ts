import 'reflect-metadata';
import { runService } from '@slipway/platform';
import { keysService } from './keys-service.js';

await runService(keysService, process.env);
