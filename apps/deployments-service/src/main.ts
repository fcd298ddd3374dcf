import 'reflect-metadata';
import { runService } from '@slipway/platform/service';
import { deploymentsService } from './deployments-service.js';

await runService(deploymentsService, process.env);
