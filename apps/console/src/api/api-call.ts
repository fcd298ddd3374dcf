import { type Actor, CONSOLE_API, type MemberRole, type RpcContract, ServiceError } from '@slipway/contracts';
import type { SignedIn } from '../sessions/access-tokens.js';
import { includes } from './role-rank.js';

export interface AllowedCall {
  readonly role: MemberRole;
  readonly rpc: RpcContract;
}

/**
 * The call of a name, if the role may make it.
 * @throws ServiceError `not_found`, `not_permitted`
 */
export function callOf(name: string, role: MemberRole): AllowedCall {
  const calls: Readonly<Record<string, AllowedCall>> = CONSOLE_API;
  const call = Object.hasOwn(calls, name) ? calls[name] : undefined;
  if (!call) throw new ServiceError('not_found', 'There is nothing here.');
  if (includes(role, call.role)) return call;
  throw new ServiceError('not_permitted', `Only a ${call.role === 'owner' ? 'owner' : 'member or an owner'} of this account may do this.`);
}

/**
 * A body as the request of an RPC. Actor, account and, for calls about oneself, user are those of the session, whatever
 * the body contains.
 * @throws ServiceError `invalid_request` naming the field
 */
export function requestOf(
  { rpc }: AllowedCall,
  body: unknown,
  { account, user }: Pick<SignedIn, 'account' | 'user'>,
  actor: Actor,
): object {
  if (body !== undefined && (typeof body !== 'object' || body === null || Array.isArray(body))) {
    throw new ServiceError('invalid_request', 'The body must be an object.');
  }
  const parsed = rpc.request.safeParse({ ...body, account, actor, ...(rpc.proof === 'self' && { user }) });
  if (parsed.success) return parsed.data as object;
  const [issue] = parsed.error.issues;
  throw new ServiceError('invalid_request', issue?.message ?? 'The request is not valid.', { param: issue?.path.join('.') });
}
