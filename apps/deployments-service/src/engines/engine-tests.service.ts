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
import { AccountTransactions, AuditLog } from '@slipway/database';
import { LOG, type Logger, RpcClient } from '@slipway/platform';
import type { z } from 'zod';
import { AgentSealers } from '../agents/agent-sealers.js';
import { AgentTable } from '../agents/agent-table.js';
import { SettingsPolicy } from '../deployments/settings-policy.js';
import { SourceRules } from '../deployments/source-rules.js';
import { EngineCredentials } from './engine-credentials.js';
import { EngineTestsRepository } from './engine-tests.repository.js';

/** Bounds per account, since each test makes workers wait for an external server. The second one is per replica of this service. */
const TESTS_PER_MINUTE = 6;
const TESTS_AT_ONCE = 2;

const SILENT = { outcome: 'silent', detail: null, server: null, context: null, models: null, ms: 0 } as const;

const tooMany = (bound: string): ServiceError =>
  new ServiceError('rate_limit_exceeded', `An account may test engines ${bound}; try again soon.`, { retryAfterS: 15 });

/** For checks of sources, which need a name. It is sent to no engine. */
const NO_MODEL = '-';

type TestRequest = z.output<typeof TestEngine.request>;

/** The first agent of each host: another one there would reach the engine by the same way. */
function onePerHost(agents: readonly AgentHeartbeat[]): AgentHeartbeat[] {
  const hosts = new Map<string, AgentHeartbeat>();
  for (const agent of agents) if (!hosts.has(agent.host)) hosts.set(agent.host, agent);
  return [...hosts.values()];
}

/** Tests HTTP engines before a deployment uses them, from the workers that would call them. Results are not stored. */
@Injectable()
export class EngineTestsService {
  readonly #running = new Map<AccountId, number>();

  // oxlint-disable-next-line slipway/max-params -- a test checks, counts, seals and calls; no two of these dependencies are used together elsewhere
  constructor(
    private readonly transactions: AccountTransactions,
    private readonly repository: EngineTestsRepository,
    private readonly audit: AuditLog,
    private readonly rules: SourceRules,
    private readonly credentials: EngineCredentials,
    private readonly policy: SettingsPolicy,
    private readonly agents: AgentTable,
    private readonly sealers: AgentSealers,
    private readonly rpc: RpcClient,
    @Inject(LOG) private readonly log: Pick<Logger, 'warn'>,
  ) {}

  /**
   * Tests an engine. Source and credential must pass the same checks as those of a deployment.
   * @throws ServiceError `rate_limit_exceeded` above six tests of an account in a minute or two at once; whatever the checks throw
   */
  async test(request: TestRequest): Promise<{ tests: EngineTest[] }> {
    const { source, account } = request;
    const named = { ...request, source: { ...source, model: source.model ?? NO_MODEL } };
    await this.rules.check(named.source);
    const credential = await this.credentials.credentialFor(named);
    const running = this.#running.get(account) ?? 0;
    if (running >= TESTS_AT_ONCE) throw tooMany(`${TESTS_AT_ONCE} at once`);
    this.#running.set(account, running + 1);
    try {
      await this.#admit(request, credential !== undefined);
      return await this.#testOnAgents(source, credential);
    } finally {
      const left = (this.#running.get(account) ?? 1) - 1;
      if (left === 0) this.#running.delete(account);
      else this.#running.set(account, left);
    }
  }

  /** Counts the test and writes it to the audit log before anything is sent. */
  async #admit(request: TestRequest, hasCredential: boolean): Promise<void> {
    const { account, actor, source, credential } = request;
    await this.transactions.run(request, async (tx) => {
      if ((await this.repository.recent(tx, account)) >= TESTS_PER_MINUTE) throw tooMany(`${TESTS_PER_MINUTE} in a minute`);
      const kept = hasCredential ? 'stored' : 'none';
      const facts = { credential: credential === undefined ? kept : 'given' };
      const object = `engine:${new URL(source.url).host}`;
      await this.audit.record(tx, { account, actor, action: 'engine.test', object, facts });
    });
  }

  async #testOnAgents(source: TestRequest['source'], credential: string | undefined): Promise<{ tests: EngineTest[] }> {
    const able = this.agents.live().filter(({ engines, draining }) => engines.includes(engineKindOf(source)) && !draining);
    const capable = able.filter((agent) => credential === undefined || this.sealers.canReceiveSecrets(agent));
    const chosen = onePerHost(capable).slice(0, this.policy.defaultReplicas(source));
    const tests = await Promise.all(
      chosen.map((agent) => {
        const boundTo = engineTestBinding({ url: source.url, wk: agent.wk });
        const secret = credential === undefined ? {} : this.sealers.wrap(agent, credential, boundTo);
        return this.#testOn(agent, { source, ...secret });
      }),
    );
    return { tests: tests.sort((a, b) => (a.host < b.host ? -1 : 1)) };
  }

  async #testOn({ wk, host }: AgentHeartbeat, request: z.input<typeof TestAgentEngine.request>): Promise<EngineTest> {
    try {
      return { host, agent: wk, ...(await this.rpc.call(TestAgentEngine, request, { wk })) };
    } catch (error) {
      // Owners see that the agent did not reply; operators find the cause in the log.
      this.log.warn({ wk, host, err: error }, 'engines.test_unanswered');
      return { host, agent: wk, ...SILENT };
    }
  }
}
