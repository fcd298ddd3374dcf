import 'reflect-metadata';
import { runProcess } from '@slipway/platform';
import { ConsoleConfig } from './config.js';
import { consoleParts } from './console-parts.js';

await runProcess({ service: 'console', config: ConsoleConfig, environment: process.env, parts: consoleParts });
