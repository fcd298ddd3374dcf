import { applyDecorators } from '@nestjs/common';
import { MessagePattern } from '@nestjs/microservices';
import type { RpcContract } from '@slipway/contracts';

/** Key of the contract in a handler's extras. */
export const CONTRACT_KEY = 'slipway.contract';

/** Serves an RPC with the decorated method, whose single parameter is the validated request (`@Payload()`). */
export const RpcHandler = (contract: RpcContract): MethodDecorator =>
  applyDecorators(MessagePattern(contract.subject, { [CONTRACT_KEY]: contract }));
