import 'reflect-metadata';
import { runProcess } from '@slipway/platform';
import { KeysConfig } from './config.js';
import { serviceParts } from './service-parts.js';

await runProcess({ service: 'keys-service', config: KeysConfig, environment: process.env, parts: serviceParts });
