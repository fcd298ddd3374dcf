import type { Actor, RpcContract } from '@slipway/contracts';
import { z } from 'zod';

/** Whom the audit log names for what the command line does. */
export const OPERATOR: Actor = { kind: 'ops', client: 'slipway-cli' };

/** A request in the name of the operator, where its exchange asks in whose name it is. */
export function inOperatorsName<Q>(contract: RpcContract, request: Q): Q {
  const { request: schema } = contract;
  return schema instanceof z.ZodObject && 'actor' in schema.shape ? { actor: OPERATOR, ...request } : request;
}
