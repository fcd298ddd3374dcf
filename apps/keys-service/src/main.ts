import 'reflect-metadata';
import { runService } from '@slipway/platform/service';
import { keysService } from './keys-service.js';

await runService(keysService, process.env);
