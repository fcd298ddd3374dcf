import 'reflect-metadata';
import { runProcess } from '@slipway/platform';
import { GatewayConfig } from './config.js';
import { gatewayParts } from './gateway-parts.js';

await runProcess({ service: 'gateway', config: GatewayConfig, environment: process.env, parts: gatewayParts });
