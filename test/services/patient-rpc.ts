import { isServiceError, type RpcContract } from '@slipway/contracts';
import type { RpcClient } from '@slipway/platform';
import type { z } from 'zod';
import { until } from '../testing/until.js';

/** What a call came to. */
export interface Outcome<T> {
  readonly reply?: T;
  readonly code?: string;
}

/** Nothing for a call without an answer, or one to be repeated. @throws every other error */
export function unanswered(error: unknown): null {
  if (!isServiceError(error) || error.code !== 'unavailable') throw error;
  return null;
}

/** Calls with time for a busy machine. */
export class PatientRpc {
  constructor(private readonly rpc: Pick<RpcClient, 'call'>) {}

  /** Asks as patient callers do: again where the service asks for that, as it does when its database is too busy. */
  ask<C extends RpcContract>(contract: C, request: z.input<C['request']>): Promise<z.output<C['reply']>> {
    const attempt = (): Promise<z.output<C['reply']> | null> => this.#once(contract, request).catch(unanswered);
    return until(`${contract.subject} is answered`, attempt, 60_000);
  }

  /** Asks once, and tells the code of a refusal instead of failing. */
  outcome<C extends RpcContract>(contract: C, request: z.input<C['request']>): Promise<Outcome<z.output<C['reply']>>> {
    return this.#once(contract, request).then(
      (reply) => ({ reply }),
      (error: unknown) => {
        if (!isServiceError(error)) throw error;
        return { code: error.code };
      },
    );
  }

  #once<C extends RpcContract>(contract: C, request: z.input<C['request']>): Promise<z.output<C['reply']>> {
    return this.rpc.call({ ...contract, timeoutMs: 30_000 }, request);
  }
}
