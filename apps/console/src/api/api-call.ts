import { type Actor, CONSOLE_API, type MemberRole, type RpcContract, ServiceError } from '@slipway/contracts';
import type { SignedIn } from '../sessions/access-tokens.js';

const RANKS: Readonly<Record<MemberRole, number>> = { viewer: 0, member: 1, owner: 2 };

/** True if a role has all permissions of another one. */
export const roleIncludes = (role: MemberRole, least: MemberRole): boolean => RANKS[role] >= RANKS[least];

/** An RPC of the dashboard and the least role that may call it. */
export interface AllowedCall {
  readonly role: MemberRole;
  readonly rpc: RpcContract;
}

/**
 * Finds a call of `CONSOLE_API` by name and checks that the role may make it.
 * @throws ServiceError `not_found`, `not_permitted`
 */
export function callOf(name: string, role: MemberRole): AllowedCall {
  const calls: Readonly<Record<string, AllowedCall>> = CONSOLE_API;
  const call = Object.hasOwn(calls, name) ? calls[name] : undefined;
  if (!call) throw new ServiceError('not_found', 'Nothing is served at this address.');
  if (roleIncludes(role, call.role)) return call;
  throw new ServiceError('not_permitted', `Only a ${call.role === 'owner' ? 'owner' : 'member or an owner'} of this account may do this.`);
}

/**
 * Makes an RPC request of a body. Account, actor and, for calls about oneself, user come from the session and overwrite fields of
 * the body.
 * @throws ServiceError `invalid_request` that names the field
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
