import { Inject, Injectable } from '@nestjs/common';
import { type Incarnation, ReadAgentLog } from '@slipway/contracts';
import { type Logger, type NatsConnection, RpcResponder } from '@slipway/platform';
import type { WorkerConfig } from '../config.js';
import { AGENT_ID, CONFIG, LOG, NATS } from './agent-tokens.js';
import { LogBook } from './log-book.js';

/** Answers questions for engine logs on this agent's own subject. */
@Injectable()
export class AgentLogService {
  #responder: RpcResponder | undefined;

  constructor(
    @Inject(AGENT_ID) private readonly wk: Incarnation,
    @Inject(CONFIG) private readonly config: WorkerConfig,
    @Inject(LOG) private readonly log: Logger,
    @Inject(NATS) private readonly nats: NatsConnection,
    private readonly book: LogBook,
  ) {}

  start(): void {
    const { nats, log, wk } = this;
    const options = { nats, env: this.config.SLIPWAY_ENV, log, tokens: { wk } };
    this.#responder = new RpcResponder(options, ReadAgentLog, (request) => Promise.resolve(this.#answer(request)));
  }

  async stop(): Promise<void> {
    await this.#responder?.close();
  }

  #answer(request: unknown): { lines: ReturnType<LogBook['newest']> } {
    const { dep, lines } = ReadAgentLog.request.parse(request);
    return { lines: this.book.newest(dep, lines) };
  }
}
