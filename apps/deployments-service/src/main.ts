import 'reflect-metadata';
import { runProcess } from '@slipway/platform';
import { DeploymentsServiceConfig } from './config.js';
import { serviceParts } from './service-parts.js';

await runProcess({ service: 'deployments-service', config: DeploymentsServiceConfig, environment: process.env, parts: serviceParts });
