import { Module } from '@nestjs/common';
import { defineService, PROCESS_NAME, resource } from '@slipway/platform';
import { TRAINER_ID } from './agent/agent-tokens.js';
import { AgentService } from './agent/agent.service.js';
import { BasesService } from './agent/bases.service.js';
import { RunsService } from './agent/runs.service.js';
import { TrainingWorkerConfig } from './config.js';

/** The agent of one host that trains. */
@Module({
  providers: [{ provide: TRAINER_ID, useExisting: PROCESS_NAME }, BasesService, RunsService, AgentService],
})
class AgentModule {}

/** The agent of one host that trains adapters: it runs the jobs that it is assigned, and reports how they do. */
export const trainingWorker = defineService({
  name: 'training-worker',
  role: 'trainer',
  config: TrainingWorkerConfig,
  module: AgentModule,
  resources: [resource(BasesService), resource(AgentService)],
});
