import { Module } from '@nestjs/common';
import { configured, StreamClaims } from '@slipway/platform';
import type { KeysConfig } from '../config.js';
import { UsageComparisons } from './comparisons.service.js';
import { LedgerRepository } from './ledger.repository.js';
import { Ledger } from './ledger.service.js';
import { LimitUseMemory } from './limit-use-memory.js';
import { OrphansRepository } from './orphans.repository.js';
import { RejectedUsageRepository } from './rejected-usage.repository.js';
import { UsageQueriesRepository } from './queries.repository.js';
import { UsageQueries } from './queries.service.js';
import { UsageIntake } from './intake.js';
import { UsageHandlers } from './usage.handlers.js';

/** The ledger of usage. It depends on no other folder of the service: its rows name keys and accounts by number. */
@Module({
  controllers: [UsageHandlers],
  providers: [
    LimitUseMemory,
    Ledger,
    LedgerRepository,
    OrphansRepository,
    RejectedUsageRepository,
    UsageComparisons,
    UsageQueries,
    UsageQueriesRepository,
    UsageIntake,
    configured(StreamClaims, ({ KEY_PEPPERS: peppers }: KeysConfig) => new StreamClaims(peppers)),
  ],
  exports: [UsageQueries],
})
export class UsageModule {}
