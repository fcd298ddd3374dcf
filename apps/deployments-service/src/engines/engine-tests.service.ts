import { Inject, Injectable } from '@nestjs/common';
import {
  type AccountId,
  type AgentHeartbeat,
  engineKindOf,
  engineTestBinding,
  type EngineTest,
  ServiceError,
  TestAgentEngine,
  type TestEngine,
} from '@slipway/contracts';
import { AuditLog } from '@slipway/database';
import { LOG, type Logger, RpcClient } from '@slipway/platform';
import type { z } from 'zod';
import { AccountTransactions } from '../quotas/account-transactions.js';
import { AgentSealers } from '../agents/agent-sealers.js';
import { AgentTable } from '../agents/agent-table.js';
import { DeploymentDefaults } from '../deployments/deployment-defaults.js';
import { SourceRules } from '../deployments/source-rules.js';
import { EngineCredentials } from './engine-credentials.js';
import { EngineTestsRepository } from './engine-tests.repository.js';

/** Tests of one account in a minute, and at once in this replica: each makes workers wait for somebody else's server. */
const TESTS_PER_MINUTE = 6;
const TESTS_AT_ONCE = 2;

const SILENT = { outcome: 'silent', detail: null, server: null, context: null, models: null, ms: 0 } as const;

const tooMany = (bound: string): ServiceError =>
  new ServiceError('rate_limit_exceeded', `An account may test engines ${bound}; try again soon.`, { retryAfterS: 15 });

/** Tries HTTP engines before a deployment names them, from where they would be called. What they answer is not stored. */
@Injectable()
export class EngineTestsService {
  readonly #running = new Map<AccountId, number>();

  // oxlint-disable-next-line slipway/max-params -- each is asked for another thing of one test, and nothing else asks for two of them
  constructor(
    private readonly transactions: AccountTransactions,
    private readonly repository: EngineTestsRepository,
    private readonly audit: AuditLog,
    private readonly rules: SourceRules,
    private readonly credentials: EngineCredentials,
    private readonly defaults: DeploymentDefaults,
    private readonly agents: AgentTable,
    private readonly sealers: AgentSealers,
    private readonly rpc: RpcClient,
    @Inject(LOG) private readonly log: Pick<Logger, 'warn'>,
  ) {}

  /**
   * Source and credential are held to the rules of a deployment that names them.
   * @throws ServiceError `rate_limit_exceeded` beyond six tests of an account in a minute, or two at once
   */
  async test(request: z.output<typeof TestEngine.request>): Promise<{ tests: EngineTest[] }> {
    const { source, account } = request;
    await this.rules.check(source);
    const credential = await this.credentials.credentialFor(request);
    const running = this.#running.get(account) ?? 0;
    if (running >= TESTS_AT_ONCE) throw tooMany(`${TESTS_AT_ONCE} at once`);
    this.#running.set(account, running + 1);
    try {
      await this.#admit(request, credential !== undefined);
      return await this.#askAgents(source, credential);
    } finally {
      const left = (this.#running.get(account) ?? 1) - 1;
      if (left === 0) this.#running.delete(account);
      else this.#running.set(account, left);
    }
  }

  /** Counted and written down before anything is sent: who had which server called, and with whose credential. */
  async #admit(request: z.output<typeof TestEngine.request>, hasCredential: boolean): Promise<void> {
    const { account, actor, source, credential } = request;
    await this.transactions.run(request, async (tx) => {
      if ((await this.repository.recent(tx, account)) >= TESTS_PER_MINUTE) throw tooMany(`${TESTS_PER_MINUTE} in a minute`);
      const kept = hasCredential ? 'stored' : 'none';
      const facts = { credential: credential === undefined ? kept : 'given' };
      const object = `engine:${new URL(source.url).host}`;
      await this.audit.record(tx, { account, actor, action: 'engine.test', object, facts });
    });
  }

  async #askAgents(
    source: z.output<typeof TestEngine.request>['source'],
    credential: string | undefined,
  ): Promise<{ tests: EngineTest[] }> {
    const able = this.agents.live().filter(({ engines, draining }) => engines.includes(engineKindOf(source)) && !draining);
    const tellable = able.filter((agent) => credential === undefined || this.sealers.mayTell(agent));
    const asked = tellable.slice(0, this.defaults.replicas(source));
    const tests = await Promise.all(
      asked.map((agent) => {
        const boundTo = engineTestBinding({ url: source.url, wk: agent.wk });
        const secret = credential === undefined ? {} : this.sealers.wrap(agent, credential, boundTo);
        return this.#ask(agent, { source, ...secret });
      }),
    );
    return { tests: tests.sort((a, b) => (a.host < b.host ? -1 : 1)) };
  }

  async #ask({ wk, host }: AgentHeartbeat, question: z.input<typeof TestAgentEngine.request>): Promise<EngineTest> {
    try {
      return { host, ...(await this.rpc.call(TestAgentEngine, question, { wk })) };
    } catch (error) {
      // Whatever keeps an agent from answering, owners read that it is silent; operators read why.
      this.log.warn({ wk, host, err: error }, 'engines.test_unanswered');
      return { host, ...SILENT };
    }
  }
}
