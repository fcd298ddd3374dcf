import { Inject, Injectable } from '@nestjs/common';
import type { Incarnation, RpcContract } from '@slipway/contracts';
import { CONFIG, LOG, type Logger, NATS, type NatsConnection, RpcResponder } from '@slipway/platform';
import type { WorkerConfig } from '../config.js';
import { AGENT_ID } from './agent-tokens.js';

/** Serves RPCs on this agent's own subjects, until it stops. */
@Injectable()
export class AgentRpc {
  readonly #responders: RpcResponder[] = [];

  constructor(
    @Inject(AGENT_ID) private readonly wk: Incarnation,
    @Inject(CONFIG) private readonly config: WorkerConfig,
    @Inject(LOG) private readonly log: Logger,
    @Inject(NATS) private readonly nats: NatsConnection,
  ) {}

  serve(contract: RpcContract, handle: (request: unknown) => Promise<unknown>): void {
    const { nats, log, wk } = this;
    const options = { nats, env: this.config.SLIPWAY_ENV, log, tokens: { wk } };
    this.#responders.push(new RpcResponder(options, contract, handle));
  }

  /** Takes no more calls, and waits for those that run. */
  async stop(): Promise<void> {
    await Promise.all(this.#responders.map((responder) => responder.close()));
  }
}
