import { Injectable } from '@nestjs/common';
import {
  type Actor,
  CONNECTED_WORKERS_PAGE,
  type ConnectedWorker,
  type Incarnation,
  ServiceError,
  WORKER_DEPLOYMENTS_MAX,
  DEFAULT_POOL,
} from '@slipway/contracts';
import { AuditLog, Transactions } from '@slipway/database';
import { pageOf } from '@slipway/platform';
import { Placer } from '../placement/placer.js';
import type { LiveAgent } from '../placement/unit.js';
import { AgentTable } from './agent-table.js';
import { type DrainedAgent, DrainedAgentsRepository } from './drained-agents.repository.js';

/** A drain, or its end. */
interface Drain {
  readonly wk: Incarnation;
  readonly drain: boolean;
  /** Who asks; absent = the service itself. */
  readonly actor?: Actor;
}

/** Drains agents, and lists the live ones. */
@Injectable()
export class DrainedAgents {
  constructor(
    private readonly transactions: Transactions,
    private readonly repository: DrainedAgentsRepository,
    private readonly agents: AgentTable,
    private readonly placer: Placer,
    private readonly audit: AuditLog,
  ) {}

  /** The live agents by name, one page. */
  async list(after = ''): Promise<{ workers: ConnectedWorker[]; next: Incarnation | null }> {
    const drained = await this.transactions.read((connection) => this.repository.all(connection));
    const agents = this.agents.live().filter(({ wk }) => wk > after);
    const page = pageOf(agents.slice(0, CONNECTED_WORKERS_PAGE + 1), CONNECTED_WORKERS_PAGE, ({ wk }) => wk);
    return { workers: page.items.map((agent) => viewOf(agent, drained.get(agent.wk))), next: page.next };
  }

  /**
   * Drains an agent, or ends that. The placer of another replica follows within 2 s.
   * @throws ServiceError `not_found` for an agent that is not connected
   */
  async set({ wk, drain, actor }: Drain): Promise<ConnectedWorker> {
    const live = this.agents.live();
    const agent = live.find((one) => one.wk === wk);
    if (!agent) throw new ServiceError('not_found', 'There is no connected worker of this name.', { param: 'wk' });
    const drained = await this.transactions.run(async (tx) => {
      await this.repository.sweep(
        tx,
        live.map((one) => one.wk),
      );
      const isChange = drain ? await this.repository.add(tx, wk) : await this.repository.remove(tx, wk);
      const entry = { account: null, actor, object: `worker:${wk}`, objectName: agent.host };
      if (isChange) await this.audit.record(tx, { ...entry, action: drain ? 'worker.drain' : 'worker.undrain' });
      return this.repository.all(tx);
    });
    this.agents.drain([...drained.keys()]);
    this.placer.changed();
    return viewOf(agent, drained.get(wk));
  }
}

function viewOf(agent: LiveAgent, row: DrainedAgent | undefined): ConnectedWorker {
  const { wk, host, zone, pool = DEFAULT_POOL, draining, drained, loads } = agent;
  const numbers = [...new Set(loads.map(({ dep }) => dep))].sort((a, b) => a - b);
  return {
    ...{ wk, host, zone, pool },
    state: stateOf({ isStopping: draining && drained !== true, isDrained: row !== undefined, loads: loads.length }),
    drained_since: row?.since.toISOString() ?? null,
    loads: loads.length,
    deployments: numbers.slice(0, WORKER_DEPLOYMENTS_MAX),
    // What is gone since the placer looked waits for nothing.
    ...(row?.waits && { left: row.waits.filter(({ dep, rev }) => loads.some((load) => load.dep === dep && load.rev === rev)) }),
  };
}

function stateOf({ isStopping, isDrained, loads }: { isStopping: boolean; isDrained: boolean; loads: number }): ConnectedWorker['state'] {
  if (isStopping) return 'stopping';
  if (!isDrained) return 'active';
  return loads > 0 ? 'draining' : 'drained';
}
