import { Global, Module } from '@nestjs/common';
import { database, RefusalLog, refusalLog } from '@slipway/database';
import { defineService, resource } from '@slipway/platform';
import { followedProofs, RpcGate, rpcGate } from '@slipway/proof';
import { AdapterImportsModule } from './adapter-imports/adapter-imports.module.js';
import { AdaptersModule } from './adapters/adapters.module.js';
import { AuditModule } from './audit/audit.module.js';
import { BlobDoor } from './blobs/blob-door.js';
import { BlobsModule } from './blobs/blobs.module.js';
import { TuningServiceConfig } from './config.js';
import { DatasetsModule } from './datasets/datasets.module.js';
import { tuningDatabase } from './db/schema.js';
import { EvaluationRounds } from './evaluations/evaluation-rounds.js';
import { EvaluationsModule } from './evaluations/evaluations.module.js';
import { Grading } from './evaluations/grading.js';
import { ExamplesModule } from './examples/examples.module.js';
import { Housekeeping } from './housekeeping.js';
import { FollowUps } from './jobs/follow-ups.js';
import { JobsModule } from './jobs/jobs.module.js';
import { Leader } from './leader.js';
import { Placer } from './placement/placer.js';
import { QuotasModule } from './quotas/quotas.module.js';
import { ReportsModule } from './reports/reports.module.js';
import { TrainerListener } from './trainers/trainer-listener.js';
import { TuningMetrics } from './tuning-metrics.js';
import { UploadsModule } from './uploads/uploads.module.js';
import { ValidationModule } from './validation/validation.module.js';
import { Validator } from './validation/validator.js';

/** The elected replica, and figures. */
@Global()
@Module({ providers: [Leader, TuningMetrics], exports: [Leader, TuningMetrics] })
class WorkModule {}

@Module({
  imports: [
    ...[WorkModule, DatasetsModule, BlobsModule, UploadsModule, ValidationModule, ExamplesModule],
    ...[JobsModule, AdaptersModule, AdapterImportsModule, ReportsModule, AuditModule, QuotasModule],
    EvaluationsModule,
  ],
  providers: [rpcGate(RefusalLog), Housekeeping, EvaluationRounds],
})
class TuningServiceModule {}

/** Owns data sets, uploads, blobs, training jobs, adapters and evaluations, and places trainings on training workers. */
export const tuningService = defineService({
  name: 'tuning-service',
  role: 'tuning',
  config: TuningServiceConfig,
  module: TuningServiceModule,
  // The leader comes last: it wakes what listens to it.
  resources: [
    database(tuningDatabase),
    followedProofs(),
    resource(BlobDoor),
    resource(Validator),
    resource(Housekeeping),
    resource(TrainerListener),
    resource(Placer),
    resource(FollowUps),
    resource(Grading),
    resource(EvaluationRounds),
    resource(Leader),
    refusalLog(),
  ],
  rpc: { gate: RpcGate },
});
