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

interface AgentLink {
  readonly nats: NatsConnection;
  /** Name of this agent. */
  readonly wk: Incarnation;
  readonly names: RunnerNames;
}

/** Connects under a name of this process's own, or as the user that all workers share where there are no names to ask for. */
async function connectAgent(config: WorkerConfig, log: Logger): Promise<AgentLink> {
  const { NATS_URL: url, NATS_CREDENTIALS_DIR: credentialsDir, SLIPWAY_ENV: env } = config;
  const agent = await joinAsAgent(config, log);
  const nats = await connectNats({
    url,
    log,
    name: 'agent',
    ...(agent ? { role: 'agent', identity: agent } : { role: 'worker', credentialsDir }),
  });
  if (!agent) {
    const wk = Incarnation.parse(nuid.next());
    return { nats, wk, names: new SharedRunnerNames(wk) };
  }
  const names = new NamedRunners({ nats, env, agent, rejoin: () => askToJoin(config, log, agent), log });
  names.start();
  return { nats, wk: agent.wk, names };
}

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
        ({ nats, wk, names } = await connectAgent(config, log));
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
