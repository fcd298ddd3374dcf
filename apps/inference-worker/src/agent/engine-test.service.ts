import { Inject, Injectable } from '@nestjs/common';
import { type EngineFinding, type Incarnation, TestAgentEngine } from '@slipway/contracts';
import { type Logger, type NatsConnection, RpcResponder } from '@slipway/platform';
import type { z } from 'zod';
import type { WorkerConfig } from '../config.js';
import { EngineLoadError } from '../engines/engine.js';
import { tryEngine } from '../engines/try-engine.js';
import { ModelStore } from '../models/model-store.js';
import { AGENT_ID, CONFIG, LOG, NATS } from './agent-tokens.js';

type Request = z.output<typeof TestAgentEngine.request>;

/** Tries engines that nothing is assigned for yet, on this agent's own subject, within what the operator of this worker allows. */
@Injectable()
export class EngineTestService {
  #responder: RpcResponder | undefined;

  constructor(
    @Inject(AGENT_ID) private readonly wk: Incarnation,
    @Inject(CONFIG) private readonly config: WorkerConfig,
    @Inject(LOG) private readonly log: Logger,
    @Inject(NATS) private readonly nats: NatsConnection,
    private readonly models: ModelStore,
  ) {}

  start(): void {
    const { nats, log, wk } = this;
    const options = { nats, env: this.config.SLIPWAY_ENV, log, tokens: { wk } };
    this.#responder = new RpcResponder(options, TestAgentEngine, (request) => this.#answer(TestAgentEngine.request.parse(request)));
  }

  async stop(): Promise<void> {
    await this.#responder?.close();
  }

  async #answer(request: Request): Promise<EngineFinding> {
    const began = performance.now();
    const finding = await this.#find(request);
    return { ...finding, ms: Math.round(performance.now() - began) };
  }

  async #find({ source, credential }: Request): Promise<Omit<EngineFinding, 'ms'>> {
    try {
      this.models.permittedEngine(source);
    } catch (error) {
      if (!(error instanceof EngineLoadError)) throw error;
      return { outcome: 'not_allowed', detail: error.message, server: null, context: null, models: null };
    }
    return tryEngine(source, credential, this.log);
  }
}
