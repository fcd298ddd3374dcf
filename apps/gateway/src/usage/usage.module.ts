import { Module } from '@nestjs/common';
import type { Incarnation } from '@slipway/contracts';
import { CONFIG, LOG, type Logger, type NatsConnection, StreamClaims } from '@slipway/platform';
import type { GatewayConfig } from '../config.js';
import { BULK, GATEWAY_ID } from '../tokens.js';
import { UsageReporter } from './usage-reporter.js';

function reporterOf(nats: NatsConnection, config: GatewayConfig, gw: Incarnation, log: Logger): UsageReporter {
  return new UsageReporter({ nats, env: config.SLIPWAY_ENV, gw, claims: new StreamClaims(config.KEY_PEPPERS), log });
}

@Module({
  providers: [{ provide: UsageReporter, useFactory: reporterOf, inject: [BULK, CONFIG, GATEWAY_ID, LOG] }],
  exports: [UsageReporter],
})
export class UsageModule {}
