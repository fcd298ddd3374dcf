import { applyDecorators } from '@nestjs/common';
import { type CustomTransportStrategy, type MessageHandler, MessagePattern, Server } from '@nestjs/microservices';
import type { RpcContract } from '@slipway/contracts';
import { lastValueFrom } from 'rxjs';
import { overWithin } from '../time/over-within.js';
import { RpcResponder, type RpcResponderOptions } from './rpc-responder.js';

/** Key of the contract in a handler's extras. */
const CONTRACT_KEY = 'slipway.contract';

/** Serves an RPC with the decorated method, whose single parameter is the validated request (`@Payload()`). */
export const RpcHandler = (contract: RpcContract): MethodDecorator =>
  applyDecorators(MessagePattern(contract.subject, { [CONTRACT_KEY]: contract }));

/** What an `RpcServer` needs. */
export interface RpcServerOptions extends RpcResponderOptions {
  /** Drain time for running calls on close, in milliseconds. */
  readonly drainMs: number;
}

/** Nest transport strategy on the process's NATS connection: one `RpcResponder` per `@RpcHandler`. */
export class RpcServer extends Server implements CustomTransportStrategy {
  readonly #responders: RpcResponder[] = [];

  constructor(private readonly options: RpcServerOptions) {
    super();
  }

  /** Calls back when the NATS server has all subscriptions, so that calls are answered from then on. */
  async listen(callback: () => void): Promise<void> {
    for (const handler of this.messageHandlers.values()) this.#serve(handler);
    // After a disconnect the client subscribes again by itself.
    await this.options.nats.flush().catch(() => undefined);
    callback();
  }

  /** Takes no more calls and waits for running ones, at most the drain time. */
  async close(): Promise<void> {
    await overWithin(this.options.drainMs, Promise.all(this.#responders.map((responder) => responder.close())));
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
    const handle = async (request: unknown): Promise<unknown> => lastValueFrom(this.transformToObservable(await handler(request)));
    this.#responders.push(new RpcResponder(this.options, contract, handle));
  }
}
