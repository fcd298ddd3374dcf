import { Inject, Injectable } from '@nestjs/common';
import { type AgentHeartbeat, engineTestBinding, type EngineTest, TestAgentEngine, type TestEngine } from '@slipway/contracts';
import { type Logger, RpcClient } from '@slipway/platform';
import type { z } from 'zod';
import { AgentSealers } from '../agents/agent-sealers.js';
import { AgentTable } from '../agents/agent-table.js';
import { DeploymentDefaults } from '../deployments/deployment-defaults.js';
import { SourceRules } from '../deployments/source-rules.js';
import { LOG } from '../log-token.js';
import { EngineCredentials } from './engine-credentials.js';

const SILENT = { outcome: 'silent', detail: null, server: null, context: null, models: null, ms: 0 } as const;

/** Tries HTTP engines before a deployment names them, from where they would be called. Stores nothing. */
@Injectable()
export class EngineTestsService {
  // oxlint-disable-next-line slipway/max-params -- each is asked for another thing of one test, and nothing else asks for two of them
  constructor(
    private readonly rules: SourceRules,
    private readonly credentials: EngineCredentials,
    private readonly defaults: DeploymentDefaults,
    private readonly agents: AgentTable,
    private readonly sealers: AgentSealers,
    private readonly rpc: RpcClient,
    @Inject(LOG) private readonly log: Pick<Logger, 'warn'>,
  ) {}

  /** Source and credential are held to the rules of a deployment that names them. */
  async test(request: z.output<typeof TestEngine.request>): Promise<{ tests: EngineTest[] }> {
    const { source } = request;
    await this.rules.check(source);
    const credential = await this.credentials.credentialFor(request);
    const able = this.agents.live().filter(({ engines, draining }) => engines.includes('http') && !draining);
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
