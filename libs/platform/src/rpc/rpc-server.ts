import { type CustomTransportStrategy, type MessageHandler, Server } from '@nestjs/microservices';
import { type ErrorCode, isServiceError, type RpcContract, ServiceError, subjectOf } from '@slipway/contracts';
import type { Msg, NatsConnection, Subscription } from '@nats-io/transport-node';
import { lastValueFrom } from 'rxjs';
import type { Logger } from '../log/logger.js';
import type { Envelope } from './envelope.js';
import { CONTRACT_KEY } from './rpc-handler.js';

const ALWAYS_POSSIBLE: readonly ErrorCode[] = ['invalid_request', 'unavailable', 'internal'];

export interface RpcServerOptions {
  readonly nats: NatsConnection;
  readonly env: string;
  readonly log: Logger;
  /** Time for running calls to end on close, in milliseconds. */
  readonly drainMs: number;
}

/**
 * Nest transport strategy on the process's own connection: one subscription per `@RpcHandler`, in
 * its contract's queue group. Requests and replies are checked against the contract; an error that
 * the contract does not name reaches the caller as `internal` and is logged here.
 */
export class RpcServer extends Server implements CustomTransportStrategy {
  readonly #subscriptions: Subscription[] = [];
  readonly #running = new Set<Promise<void>>();

  constructor(private readonly options: RpcServerOptions) {
    super();
  }

  listen(callback: () => void): void {
    for (const handler of this.messageHandlers.values()) this.#serve(handler);
    callback();
  }

  /** Takes no more calls, waits for those that run, at most the drain time. */
  async close(): Promise<void> {
    await Promise.all(this.#subscriptions.map((subscription) => subscription.drain().catch(() => undefined)));
    const timer = new Promise<void>((resolve) => {
      setTimeout(resolve, this.options.drainMs).unref();
    });
    await Promise.race([Promise.all(this.#running), timer]);
  }

  on(): never {
    throw new Error('The RPC server has no events.');
  }

  unwrap<T>(): T {
    return this.options.nats as T;
  }

  #serve(handler: MessageHandler): void {
    const contract = handler.extras?.[CONTRACT_KEY] as RpcContract | undefined;
    if (!contract) throw new Error('Serve RPCs with @RpcHandler(contract).');
    const { nats, env } = this.options;
    const subject = subjectOf(contract, { env });
    const callback = (error: Error | null, message: Msg): void => {
      if (error) return this.options.log.error({ subject, err: error }, 'rpc.subscription_failed');
      const call = this.#answer(contract, handler, message).finally(() => this.#running.delete(call));
      this.#running.add(call);
      return undefined;
    };
    this.#subscriptions.push(nats.subscribe(subject, { queue: contract.queue, callback }));
  }

  async #answer(contract: RpcContract, handler: MessageHandler, message: Msg): Promise<void> {
    let envelope: Envelope;
    try {
      envelope = { ok: true, data: await this.#call(contract, handler, message) };
    } catch (error) {
      envelope = { ok: false, error: this.#publicError(contract, error) };
    }
    try {
      message.respond(JSON.stringify(envelope));
    } catch (error) {
      this.options.log.error({ subject: contract.subject, err: error }, 'rpc.reply_failed');
    }
  }

  async #call(contract: RpcContract, handler: MessageHandler, message: Msg): Promise<unknown> {
    const request = contract.request.safeParse(parse(message));
    if (!request.success) {
      const [issue] = request.error.issues;
      throw new ServiceError('invalid_request', issue?.message ?? 'The request is not valid.', { param: issue?.path.join('.') });
    }
    const result: unknown = await lastValueFrom(this.transformToObservable(await handler(request.data)));
    return contract.reply.parse(result);
  }

  #publicError(contract: RpcContract, error: unknown): Extract<Envelope, { ok: false }>['error'] {
    const known = isServiceError(error) && (contract.errors.includes(error.code) || ALWAYS_POSSIBLE.includes(error.code));
    if (!known || error.code === 'internal') this.options.log.error({ subject: contract.subject, err: error }, 'rpc.failed');
    if (!known) return { code: 'internal', message: 'The service failed; its log says why.' };
    return {
      code: error.code,
      message: error.message,
      ...(error.param !== undefined && { param: error.param }),
      ...(error.retryAfterS !== undefined && { retry_after_s: error.retryAfterS }),
    };
  }
}

function parse(message: Msg): unknown {
  try {
    return message.json();
  } catch {
    return undefined;
  }
}
