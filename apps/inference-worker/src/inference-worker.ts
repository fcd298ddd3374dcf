import { ModelDownloads } from '@slipway/model-store';
import { configured, defineService, type Logger, resource, Tracing, tracingSettings } from '@slipway/platform';
import { AdapterFolders } from './agent/adapter-folders.js';
import { AgentLogService } from './agent/agent-log.service.js';
import { AgentRpc } from './agent/agent-rpc.js';
import { RUNNER_NAMES } from './agent/agent-tokens.js';
import { AgentModule } from './agent/agent.module.js';
import { AgentService } from './agent/agent.service.js';
import { EngineTestService } from './agent/engine-test.service.js';
import { WorkerConfig } from './config.js';
import { type AgentLogin, joinAsAgent } from './identity/join.js';
import type { RunnerNames } from './identity/runner-names.js';

/** Under a name of this process's own, or as the user that all workers share where there is no name to ask for. */
async function logIn(config: WorkerConfig, log: Logger): Promise<AgentLogin> {
  const identity = await joinAsAgent(config, log);
  return identity ? { role: 'agent', identity } : { role: 'worker', credentialsDir: config.NATS_CREDENTIALS_DIR };
}

/** The agent of one host: it loads what it is assigned, and starts and watches the runners that serve it. */
export const inferenceWorker = defineService({
  name: 'inference-worker',
  role: logIn,
  config: WorkerConfig,
  module: AgentModule,
  providers: [configured(Tracing, (config: WorkerConfig) => new Tracing(tracingSettings(config, 'inference-worker')))],
  resources: [
    resource(Tracing),
    {
      name: 'runner names',
      token: RUNNER_NAMES,
      start: (names: RunnerNames) => names.start(),
      stop: (names: RunnerNames) => names.stop(),
    },
    { name: 'model downloads', token: ModelDownloads, start: (downloads: ModelDownloads) => downloads.open() },
    resource(AdapterFolders),
    resource(AgentRpc),
    resource(AgentLogService),
    resource(EngineTestService),
    // Its first heartbeat says that the agent answers, so everything that answers is subscribed before.
    resource(AgentService),
  ],
});
