import { Inject, Injectable } from '@nestjs/common';
import { type EngineFinding, engineTestBinding, type Incarnation, TestAgentEngine } from '@slipway/contracts';
import { EngineLoadError } from '@slipway/engine';
import { BoxKey, LOG, type Logger } from '@slipway/platform';
import type { z } from 'zod';
import { tryEngine } from '../engines.js';
import { ModelSources } from './model-sources.js';
import { AgentRpc } from './agent-rpc.js';
import { AGENT_ID } from './agent-tokens.js';

type Request = z.output<typeof TestAgentEngine.request>;

/** Tries engines that nothing is assigned for yet, on this agent's own subject, within what the operator of this worker allows. */
@Injectable()
export class EngineTestService {
  constructor(
    private readonly rpc: AgentRpc,
    private readonly models: ModelSources,
    private readonly key: BoxKey,
    @Inject(AGENT_ID) private readonly wk: Incarnation,
    @Inject(LOG) private readonly log: Logger,
  ) {}

  start(): void {
    this.rpc.serve(TestAgentEngine, (request) => this.#answer(TestAgentEngine.request.parse(request)));
  }

  async #answer(request: Request): Promise<EngineFinding> {
    const began = performance.now();
    const finding = await this.#find(request);
    return { ...finding, ms: Math.round(performance.now() - began) };
  }

  async #find({ source, credential, sealed }: Request): Promise<Omit<EngineFinding, 'ms'>> {
    try {
      this.models.permittedEngine(source);
    } catch (error) {
      if (!(error instanceof EngineLoadError)) throw error;
      return { outcome: 'not_allowed', detail: error.message, server: null, context: null, models: null };
    }
    const opened = sealed === undefined ? credential : this.key.open(sealed, engineTestBinding({ url: source.url, wk: this.wk }));
    return tryEngine(source, opened, this.log);
  }
}
