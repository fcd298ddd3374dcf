import { Module } from '@nestjs/common';
import { database, RefusalLog, refusalLog } from '@slipway/database';
import { defineService } from '@slipway/platform';
import { followedProofs, RpcGate, rpcGate } from '@slipway/proof';
import { AuditModule } from './audit/audit.module.js';
import { TuningServiceConfig } from './config.js';
import { DatasetsModule } from './datasets/datasets.module.js';
import { tuningDatabase } from './db/schema.js';
import { QuotasModule } from './quotas/quotas.module.js';

@Module({ imports: [DatasetsModule, AuditModule, QuotasModule], providers: [rpcGate(RefusalLog)] })
class TuningServiceModule {}

/** Owns data sets, uploads, blobs, training jobs and adapters, and places trainings on training workers. */
export const tuningService = defineService({
  name: 'tuning-service',
  role: 'tuning',
  config: TuningServiceConfig,
  module: TuningServiceModule,
  resources: [database(tuningDatabase), followedProofs(), refusalLog()],
  rpc: { gate: RpcGate },
});
