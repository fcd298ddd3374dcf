import { type AccountId, Actor, type KeyId, type MemberRole, type Origin, type RpcContract, ServiceError } from '@slipway/contracts';
import type { SessionId, UserId } from '@slipway/contracts';
import type { Admission, ArrivedCall, CallGate, RefusalListener } from '@slipway/platform';
import type { ProofReader, Proven } from './proof-reader.js';

/** Why a call was refused. `unproven`: no proof; `invalid`: an invalid one; `foreign`: another person, account or key; `role`: too low a role. */
export interface RefusedCall {
  readonly reason: 'unproven' | 'invalid' | 'foreign' | 'role';
  readonly subject: string;
  readonly caller: string;
  /** The refused actor and their own account, where proven. */
  readonly by?: { readonly actor: Actor; readonly account: AccountId };
}

/** Request fields that are compared with the proof. */
interface Named {
  readonly account?: AccountId;
  readonly user?: UserId;
  readonly session?: SessionId;
  readonly key?: KeyId;
  readonly actor?: Actor;
}

const RANKS: Readonly<Record<MemberRole, number>> = { viewer: 0, member: 1, owner: 2 };
const SCOPES: Readonly<Record<'read' | 'write', MemberRole>> = { read: 'viewer', write: 'member' };

/** Role of a proof in its account: an MCP key has at most a member's. */
const roleOf = (proven: Proven): MemberRole => (proven.kind === 'person' ? proven.role : SCOPES[proven.scope]);

/** True when the request lacks the field or it equals the proof's. */
const isSame = (named: number | string | undefined, proven: number | string): boolean => named === undefined || named === proven;

const WANTED: Readonly<Record<MemberRole, string>> = { viewer: 'a member', member: 'a member or an owner', owner: 'an owner' };

/**
 * Admits calls to a service. Operators need only their credentials, and services that a contract trusts name the actor. A call of another role must have the proof that its contract
 * names. The request is compared with it, and the handler gets the proven actor, never the claimed one.
 */
export class RpcGate implements CallGate {
  readonly #proofs: Pick<ProofReader, 'read'>;
  readonly #noteRefusal: (call: RefusedCall) => void;

  /** @param noteRefusal called for every refused call */
  constructor(proofs: Pick<ProofReader, 'read'>, noteRefusal: (call: RefusedCall) => void) {
    this.#proofs = proofs;
    this.#noteRefusal = noteRefusal;
  }

  /** @throws ServiceError `not_permitted`, `account_suspended`, `session_ended`, `auth_unavailable` */
  readonly admit: Admission = async (call) => {
    const { contract, caller, request } = call;
    if (contract.trusted?.includes(caller) === true) return request;
    if (caller === 'ops') return withActor(contract, request, { actor: this.#operator(call), role: 'owner' });
    if (contract.proof === 'role' || contract.proof === 'carried') return request;
    if (contract.proof === undefined && caller !== 'console') return request;
    const proven = await this.#prove(call);
    this.#hold(call, proven);
    return withActor(contract, request, { actor: this.#actor(call, proven), role: roleOf(proven) });
  };

  /** Notes a call that a handler refused because of the proven actor's current role or membership. */
  readonly refused: RefusalListener = (call, request, { code }) => {
    const { actor, account } = request as Named;
    const isProven = call.caller !== 'ops' && call.contract.proof !== 'role' && call.contract.proof !== 'carried';
    if (!isProven || call.proof === undefined || actor === undefined || account === undefined) return;
    if (code === 'not_permitted') this.#note(call, 'role', { actor, account });
    if (code === 'account_not_found') this.#note(call, 'foreign', { actor, account });
  };

  #operator(call: ArrivedCall): Actor {
    const { actor = { kind: 'ops' } } = call.request as Named;
    // The audit log names people and keys only where proven.
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

  /** Compares the request with the proof. */
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

  /** The proven actor with the claimed origin, which is only recorded. */
  #actor(call: ArrivedCall, proven: Proven): Actor {
    const { actor: claimed } = call.request as Named;
    const actor = actorOf(proven, claimed);
    if (claimed && !isSameActor(claimed, actor)) {
      throw this.#refuse(call, 'foreign', 'The proof is for another person, account or key.', { actor, account: proven.account });
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

/** Calls of viewers change nothing; calls of members and owners do unless their contract `reads`. */
const changes = ({ proof, reads }: RpcContract): boolean => proof !== 'viewer' && reads !== true;

const suspended = (): ServiceError =>
  new ServiceError('account_suspended', 'This account is suspended: you can read it but change nothing. Ask the operator to resume it.');

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

/** The proven actor with the claimed origin. */
function actorOf(proven: Proven, claimed: Origin | undefined): Actor {
  const { address, client } = claimed ?? {};
  const origin: Origin = { ...(address !== undefined && { address }), ...(client !== undefined && { client }) };
  return proven.kind === 'person' ? { kind: 'user', user: proven.user, ...origin } : { kind: 'key', key: proven.key, ...origin };
}

function isSameActor(claimed: Actor, proven: Actor): boolean {
  if (claimed.kind === 'user') return proven.kind === 'user' && claimed.user === proven.user;
  return claimed.kind === 'key' && proven.kind === 'key' && claimed.key === proven.key;
}

/** Adds actor and role only where the contract has them, because handlers get nothing outside their contract. */
function withActor({ request: schema }: RpcContract, request: unknown, { actor, role }: { actor: Actor; role: MemberRole }): unknown {
  const shape = (schema as { shape?: object }).shape ?? {};
  return { ...(request as object), ...('actor' in shape && { actor }), ...('proven_role' in shape && { proven_role: role }) };
}
