import 'reflect-metadata';
import { runService } from '@slipway/platform';
import { deploymentsService } from './deployments-service.js';

await runService(deploymentsService, process.env);
