import { type CustomTransportStrategy, type MessageHandler, Server } from '@nestjs/microservices';
import type { RpcContract } from '@slipway/contracts';
import { lastValueFrom } from 'rxjs';
import { overWithin } from '../time/over-within.js';
import { CONTRACT_KEY } from './rpc-handler.js';
import { RpcResponder, type RpcResponderOptions } from './rpc-responder.js';

/** What an `RpcServer` needs. */
export interface RpcServerOptions extends RpcResponderOptions {
  /** Time for running calls to end on close, in milliseconds. */
  readonly drainMs: number;
}

/** Nest transport strategy on the process's own connection: one `RpcResponder` per `@RpcHandler`. */
export class RpcServer extends Server implements CustomTransportStrategy {
  readonly #responders: RpcResponder[] = [];

  constructor(private readonly options: RpcServerOptions) {
    super();
  }

  /** Calls back when the NATS server knows of all subscriptions: who asks then finds somebody. */
  async listen(callback: () => void): Promise<void> {
    for (const handler of this.messageHandlers.values()) this.#serve(handler);
    // A connection lost here makes them anew when it is back.
    await this.options.nats.flush().catch(() => undefined);
    callback();
  }

  /** Takes no more calls, waits for those that run, at most the drain time. */
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
