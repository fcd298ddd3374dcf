import { defineService, resource } from '@slipway/platform';
import { AgentModule } from './agent/agent.module.js';
import { AgentService } from './agent/agent.service.js';
import { BasesService } from './agent/bases.service.js';
import { TrainingWorkerConfig } from './config.js';

/** The agent of one host that trains adapters: it runs the jobs that it is assigned, and reports how they do. */
export const trainingWorker = defineService({
  name: 'training-worker',
  role: 'trainer',
  config: TrainingWorkerConfig,
  module: AgentModule,
  // Its heartbeats report what it runs.
  readyWithoutNats: true,
  resources: [resource(BasesService), resource(AgentService)],
});
