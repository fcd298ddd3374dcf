import { type AccountId, Actor, type KeyId, type MemberRole, type Origin, type RpcContract, ServiceError } from '@slipway/contracts';
import type { SessionId, UserId } from '@slipway/contracts';
import type { Admission, ArrivedCall, CallGate, RefusalListener } from '@slipway/platform';
import type { ProofReader, Proven } from './proof-reader.js';

/** Why a call was refused. `unproven`: no proof; `invalid`: one that proves nothing; `foreign`: of somebody else; `role`: of too low a role. */
export interface RefusedCall {
  readonly reason: 'unproven' | 'invalid' | 'foreign' | 'role';
  readonly subject: string;
  readonly caller: string;
  /** Who was refused, and their own account: where they were proven. */
  readonly by?: { readonly actor: Actor; readonly account: AccountId };
}

/** What requests name that a proof is held to. */
interface Named {
  readonly account?: AccountId;
  readonly user?: UserId;
  readonly session?: SessionId;
  readonly key?: KeyId;
  readonly actor?: Actor;
}

const RANKS: Readonly<Record<MemberRole, number>> = { viewer: 0, member: 1, owner: 2 };
const SCOPES: Readonly<Record<'read' | 'write', MemberRole>> = { read: 'viewer', write: 'member' };

/** What a proof is worth in its account: an MCP key may do at most what a member may. */
const roleOf = (proven: Proven): MemberRole => (proven.kind === 'person' ? proven.role : SCOPES[proven.scope]);

/** True for what a contract leaves out, or names as the proof does. */
const isSame = (named: number | string | undefined, proven: number | string): boolean => named === undefined || named === proven;

const WANTED: Readonly<Record<MemberRole, string>> = { viewer: 'a member', member: 'a member or an owner', owner: 'an owner' };

/**
 * Lets calls in to a service. Operators' credentials are their right. A call of another role must carry the proof that its
 * contract names: the request is held to it, and the handler gets an actor that was proven, never one that was told.
 */
export class RpcGate implements CallGate {
  readonly #proofs: Pick<ProofReader, 'read'>;
  readonly #noteRefusal: (call: RefusedCall) => void;

  /** @param noteRefusal is told of every call that is refused */
  constructor(proofs: Pick<ProofReader, 'read'>, noteRefusal: (call: RefusedCall) => void) {
    this.#proofs = proofs;
    this.#noteRefusal = noteRefusal;
  }

  /** @throws ServiceError `not_permitted`, `account_suspended`, `session_ended`, `auth_unavailable` */
  readonly admit: Admission = async (call) => {
    const { contract, caller, request } = call;
    if (caller === 'ops') return withActor(contract, request, this.#operator(call));
    if (contract.proof === 'role' || contract.proof === 'carried') return request;
    if (contract.proof === undefined && caller !== 'console') return request;
    const proven = await this.#prove(call);
    this.#hold(call, proven);
    return withActor(contract, request, this.#actor(call, proven));
  };

  /** Takes note of what a handler refuses, by roles and memberships of this moment, to somebody proven. */
  readonly refused: RefusalListener = (call, request, { code }) => {
    const { actor, account } = request as Named;
    const isProven = call.caller !== 'ops' && call.contract.proof !== 'role' && call.contract.proof !== 'carried';
    if (!isProven || call.proof === undefined || actor === undefined || account === undefined) return;
    if (code === 'not_permitted') this.#note(call, 'role', { actor, account });
    if (code === 'account_not_found') this.#note(call, 'foreign', { actor, account });
  };

  #operator(call: ArrivedCall): Actor {
    const { actor = { kind: 'ops' } } = call.request as Named;
    // The audit log names people and keys only where they were proven.
    if (actor.kind !== 'ops') throw this.#refuse(call, 'foreign', 'An operator acts as an operator.');
    return actor;
  }

  async #prove(call: ArrivedCall): Promise<Proven> {
    if (call.proof === undefined) throw this.#refuse(call, 'unproven', 'This call lacks the proof of who asks.');
    try {
      return await this.#proofs.read(call.proof);
    } catch (error) {
      if (error instanceof ServiceError && error.code === 'session_ended') this.#note(call, 'invalid');
      throw error;
    }
  }

  /** Holds what a request names to what is proven. */
  #hold(call: ArrivedCall, proven: Proven): void {
    const { contract, request } = call;
    const named = request as Named;
    const by = { actor: actorOf(proven, named.actor), account: proven.account };
    if (!isOwn(contract, named, proven)) throw this.#refuse(call, 'foreign', 'The proof of who asks is for something else.', by);
    if (proven.kind === 'key' && contract.proof !== 'key' && contract.agents !== true) {
      throw this.#refuse(call, 'role', 'Only people may do this.', by);
    }
    if (contract.proof !== 'viewer' && contract.proof !== 'member' && contract.proof !== 'owner') return;
    if (RANKS[roleOf(proven)] < RANKS[contract.proof]) {
      throw this.#refuse(call, 'role', `Only ${WANTED[contract.proof]} of the account may do this.`, by);
    }
    if (proven.kind === 'person' && proven.isSuspended && changes(contract)) throw suspended();
  }

  /** Who is proven, with the origin that the door tells: it is a record, and opens nothing. */
  #actor(call: ArrivedCall, proven: Proven): Actor {
    const { actor: told } = call.request as Named;
    const actor = actorOf(proven, told);
    if (told && !isSameActor(told, actor)) {
      throw this.#refuse(call, 'foreign', 'The proof of who asks is for somebody else.', { actor, account: proven.account });
    }
    return actor;
  }

  #refuse(call: ArrivedCall, reason: RefusedCall['reason'], message: string, by?: RefusedCall['by']): ServiceError {
    this.#note(call, reason, by);
    return new ServiceError('not_permitted', message);
  }

  #note({ contract, caller }: ArrivedCall, reason: RefusedCall['reason'], by?: RefusedCall['by']): void {
    this.#noteRefusal({ reason, subject: contract.subject, caller, ...(by && { by }) });
  }
}

/** What viewers may ask changes nothing; a member's and an owner's questions do unless they say otherwise. */
const changes = ({ proof, reads }: RpcContract): boolean => proof !== 'viewer' && reads !== true;

const suspended = (): ServiceError =>
  new ServiceError('account_suspended', 'This account is suspended: you can look at it and change nothing. Ask the operator to resume it.');

function isOwn({ proof }: RpcContract, named: Named, proven: Proven): boolean {
  switch (proof) {
    case 'viewer':
    case 'member':
    case 'owner':
      return named.account === proven.account;
    case 'self':
      return proven.kind === 'person' && named.user === proven.user;
    case 'session':
      return (
        proven.kind === 'person' &&
        named.session === proven.session &&
        isSame(named.user, proven.user) &&
        isSame(named.account, proven.account)
      );
    case 'key':
      return proven.kind === 'key' && named.key === proven.key && named.account === proven.account;
    default:
      return false;
  }
}

/** Who is proven, with the origin that is told. */
function actorOf(proven: Proven, told: Origin | undefined): Actor {
  const { address, client } = told ?? {};
  const origin: Origin = { ...(address !== undefined && { address }), ...(client !== undefined && { client }) };
  return proven.kind === 'person' ? { kind: 'user', user: proven.user, ...origin } : { kind: 'key', key: proven.key, ...origin };
}

function isSameActor(told: Actor, proven: Actor): boolean {
  if (told.kind === 'user') return proven.kind === 'user' && told.user === proven.user;
  return told.kind === 'key' && proven.kind === 'key' && told.key === proven.key;
}

/** Only where the contract has an actor: handlers get what their contract holds and nothing else. */
function withActor({ request: schema }: RpcContract, request: unknown, actor: Actor): unknown {
  const shape = (schema as { shape?: object }).shape ?? {};
  return 'actor' in shape ? { ...(request as object), actor } : request;
}
