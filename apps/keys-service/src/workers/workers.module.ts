import { Module } from '@nestjs/common';
import { JoinedWorkers } from './joined-workers.service.js';
import { WorkerNamesHandlers } from './worker-names.handlers.js';
import { WorkerNamesRepository } from './worker-names.repository.js';
import { WorkerNames } from './worker-names.service.js';

@Module({ controllers: [WorkerNamesHandlers], providers: [WorkerNamesRepository, WorkerNames, JoinedWorkers] })
export class WorkersModule {}
