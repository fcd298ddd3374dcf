import { NestFactory } from '@nestjs/core';
import { Incarnation } from '@slipway/contracts';
import {
  connectNats,
  createMetrics,
  type Lifecycle,
  type Logger,
  type NatsConnection,
  NestLogger,
  nuid,
  OpsServer,
  type Part,
} from '@slipway/platform';
import { AgentLogService } from './agent/agent-log.service.js';
import { AgentRpc } from './agent/agent-rpc.js';
import { AgentModule } from './agent/agent.module.js';
import { AgentService } from './agent/agent.service.js';
import { EngineTestService } from './agent/engine-test.service.js';
import type { WorkerConfig } from './config.js';
import { askToJoin, joinAsAgent } from './identity/join.js';
import { NamedRunners, type RunnerNames, SharedRunnerNames } from './identity/runner-names.js';

/** The parts of an agent's process, in the order of their start. */
export function workerParts(config: WorkerConfig, log: Logger, lifecycle: Lifecycle): Part[] {
  const metrics = createMetrics('inference-worker');
  const notReady = (): string | null => (lifecycle.state === 'ready' ? null : lifecycle.state);
  const ops = new OpsServer({ host: config.OPS_HOST, port: config.OPS_PORT, metrics, notReady, log });
  let nats: NatsConnection;
  let agent: AgentService;
  let rpc: AgentRpc;
  let names: RunnerNames;
  let wk: Incarnation;
  return [
    { name: 'ops', start: () => ops.start(), stop: () => ops.stop() },
    {
      name: 'nats',
      start: async () => {
        const held = await joinAsAgent(config, log);
        const { NATS_URL: url, NATS_CREDENTIALS_DIR: credentialsDir, SLIPWAY_ENV: env } = config;
        nats = await connectNats({
          url,
          log,
          name: 'agent',
          ...(held ? { role: 'agent', identity: held } : { role: 'worker', credentialsDir }),
        });
        wk = held?.wk ?? Incarnation.parse(nuid.next());
        if (held) {
          const named = new NamedRunners({ nats, env, agent: held, rejoin: () => askToJoin(config, log, held), log });
          await named.start();
          names = named;
        } else names = new SharedRunnerNames(wk);
        void nats.closed().then(() => {
          // Refused credentials close a connection for good; a new process may find better ones.
          if (lifecycle.state === 'ready') throw new Error('The NATS connection was closed.');
        });
      },
      stop: () => {
        names.stop();
        return nats.drain();
      },
    },
    {
      name: 'agent',
      start: async () => {
        const module = AgentModule.with({ config, log, nats, metrics, wk, names });
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
