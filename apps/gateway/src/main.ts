import 'reflect-metadata';
import { runService } from '@slipway/platform/service';
import { gatewayService } from './gateway-service.js';

await runService(gatewayService, process.env);
