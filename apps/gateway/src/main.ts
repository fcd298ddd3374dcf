import 'reflect-metadata';
import { letHeapDouble, runService } from '@slipway/platform/service';
import { gatewayService } from './gateway-service.js';

letHeapDouble();
await runService(gatewayService, process.env);
