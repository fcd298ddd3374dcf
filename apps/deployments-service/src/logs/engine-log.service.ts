import { Inject, Injectable } from '@nestjs/common';
import { type AgentHeartbeat, type LogLine, ReadAgentLog, type ReadLog } from '@slipway/contracts';
import { LOG, type Logger, RpcClient } from '@slipway/platform';
import type { z } from 'zod';
import { AccountTransactions } from '../quotas/account-transactions.js';
import { AgentTable } from '../agents/agent-table.js';
import { deploymentNotFound } from '../deployments/deployment-not-found.js';
import { DeploymentsRepository } from '../deployments/deployments.repository.js';
import { isNamed } from '../placement/given-units.js';
import { loadsOf } from '../placement/unit.js';
import { type HostLine, newestLines } from './newest-lines.js';

type Request = z.output<typeof ReadLog.request>;

const DEFAULT_LINES = 200;

/** Engine logs, which the agents keep. */
@Injectable()
export class EngineLogService {
  constructor(
    private readonly transactions: AccountTransactions,
    private readonly deployments: DeploymentsRepository,
    private readonly agents: AgentTable,
    private readonly rpc: RpcClient,
    @Inject(LOG) private readonly log: Pick<Logger, 'warn'>,
  ) {}

  /** Asks every agent, also those that run nothing of it now: what failed there is told nowhere else. */
  async read({ account, deployment, lines = DEFAULT_LINES }: Request): Promise<z.input<typeof ReadLog.reply>> {
    const found = await this.transactions.read(account, (connection) => this.deployments.find(connection, account, deployment));
    if (!found) throw deploymentNotFound();
    const answers = await Promise.all(
      this.agents.live().map(async (agent) => ({ agent, lines: await this.#ask(agent, { dep: deployment, lines }) })),
    );
    const heard = answers.flatMap(({ agent: { host }, lines: own }) => (own ?? []).map((line): HostLine => ({ ...line, host })));
    // An agent without anything of the deployment is not missed.
    const silent = answers.filter(
      (answer) => answer.lines === null && isNamed(found, answer.agent.wk) && loadsOf(answer.agent, deployment).length > 0,
    );
    return { lines: newestLines(heard, lines), silent: [...new Set(silent.map(({ agent }) => agent.host))].sort() };
  }

  /** Null when the agent does not answer, or not as agreed. */
  async #ask({ wk, host }: AgentHeartbeat, request: z.input<typeof ReadAgentLog.request>): Promise<readonly LogLine[] | null> {
    try {
      return (await this.rpc.call(ReadAgentLog, request, { wk })).lines;
    } catch (error) {
      // Whatever keeps an agent from answering, owners read that it is silent; operators read why.
      this.log.warn({ wk, host, err: error }, 'logs.agent_unanswered');
      return null;
    }
  }
}
