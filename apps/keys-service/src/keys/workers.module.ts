import { Module } from '@nestjs/common';
import { configured, readWorkerSigning, type ServiceConfig, WorkerSigning } from '@slipway/platform';
import { JoinedWorkers } from './joined-workers.service.js';
import { WorkerNamesHandlers } from './worker-names.handlers.js';
import { WorkerNamesRepository } from './worker-names.repository.js';
import { WorkerNames } from './worker-names.service.js';

@Module({
  controllers: [WorkerNamesHandlers],
  providers: [
    WorkerNamesRepository,
    WorkerNames,
    JoinedWorkers,
    configured(WorkerSigning, ({ NATS_CREDENTIALS_DIR: folder }: ServiceConfig) => readWorkerSigning(folder)),
  ],
})
export class WorkersModule {}
