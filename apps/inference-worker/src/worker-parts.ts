import { NestFactory } from '@nestjs/core';
import {
  connectNats,
  createMetrics,
  type Lifecycle,
  type Logger,
  type NatsConnection,
  NestLogger,
  OpsServer,
  type Part,
} from '@slipway/platform';
import { AgentLogService } from './agent/agent-log.service.js';
import { AgentRpc } from './agent/agent-rpc.js';
import { AgentModule } from './agent/agent.module.js';
import { AgentService } from './agent/agent.service.js';
import { EngineTestService } from './agent/engine-test.service.js';
import type { WorkerConfig } from './config.js';

/** The parts of an agent's process, in the order of their start. */
export function workerParts(config: WorkerConfig, log: Logger, lifecycle: Lifecycle): Part[] {
  const metrics = createMetrics('inference-worker');
  const notReady = (): string | null => (lifecycle.state === 'ready' ? null : lifecycle.state);
  const ops = new OpsServer({ host: config.OPS_HOST, port: config.OPS_PORT, metrics, notReady, log });
  let nats: NatsConnection;
  let agent: AgentService;
  let rpc: AgentRpc;
  return [
    { name: 'ops', start: () => ops.start(), stop: () => ops.stop() },
    {
      name: 'nats',
      start: async () => {
        nats = await connectNats({ url: config.NATS_URL, role: 'worker', credentialsDir: config.NATS_CREDENTIALS_DIR, name: 'agent', log });
        void nats.closed().then(() => {
          // Refused credentials close a connection for good; a new process may find better ones.
          if (lifecycle.state === 'ready') throw new Error('The NATS connection was closed.');
        });
      },
      stop: () => nats.drain(),
    },
    {
      name: 'agent',
      start: async () => {
        const module = AgentModule.with({ config, log, nats, metrics });
        const app = await NestFactory.createApplicationContext(module, { logger: new NestLogger(log), abortOnError: false });
        agent = app.get(AgentService);
        rpc = app.get(AgentRpc);
        agent.start();
        app.get(AgentLogService).start();
        app.get(EngineTestService).start();
      },
      stop: async (deadlineMs) => {
        await agent.stop(deadlineMs);
        await rpc.stop();
      },
    },
  ];
}
