import 'reflect-metadata';
import { runService } from '@slipway/platform';
import { gatewayService } from './gateway-service.js';

await runService(gatewayService, process.env);
