import type { RpcContract } from '@slipway/contracts';
import { type ArrivedCall, createLogger, type NatsConnection, RpcResponder, type RpcResponderOptions } from '@slipway/platform';
import type { z } from 'zod';
import { ENV } from './bus.js';

/**
 * Answers calls in place of the service that owns the contract, without checking their proofs. Once this resolves, nats-server
 * knows of it, so that a call on any connection is answered.
 */
export async function answerCalls<C extends RpcContract>(
  nats: NatsConnection,
  contract: C,
  answer: (request: z.output<C['request']>) => z.input<C['reply']> | Promise<z.input<C['reply']>>,
  { env = ENV, ...more }: Partial<Pick<RpcResponderOptions, 'env' | 'tokens'>> = {},
): Promise<RpcResponder> {
  const admit = ({ request }: ArrivedCall): Promise<unknown> => Promise.resolve(request);
  const options = { nats, env, log: createLogger('test', 'silent'), admit, ...more };
  const responder = new RpcResponder(options, contract, async (request) => answer(request as z.output<C['request']>));
  await nats.flush();
  return responder;
}
