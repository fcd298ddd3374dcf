import { Injectable } from '@nestjs/common';
import { type Origin, ServiceError, type SessionTokens } from '@slipway/contracts';
import { Transactions, type Tx } from '@slipway/database';
import { type InvitationFacts, invitationNotFound, JoiningService } from './joining.service.js';
import { type ExternalIdentity, PeopleRepository, type Person } from './people.repository.js';
import { AddressProofs } from './address-proofs.service.js';
import { SessionEntry } from './session-entry.service.js';

/** What an identity provider says of somebody; verified. */
export interface ExternalPerson extends ExternalIdentity {
  readonly email?: string | undefined;
  readonly email_verified: boolean;
  readonly name?: string | undefined;
  /** Link that is accepted by this sign-in. */
  readonly invitation?: string | undefined;
}

/**
 * Sign-in by an identity provider. A person is its subject; an address counts the first time only, and only if it is verified.
 * Somebody else may have taken the address before, by a link that an owner of any account made for it: the first time that
 * the provider vouches for it, the password that was set is gone and the sessions are over.
 */
@Injectable()
export class ExternalSignInService {
  constructor(
    private readonly transactions: Transactions,
    private readonly people: PeopleRepository,
    private readonly joining: JoiningService,
    private readonly entry: SessionEntry,
    private readonly proofs: AddressProofs,
  ) {}

  /** @throws ServiceError `not_permitted` for somebody uninvited, `invitation_not_found`, `invalid_credentials` for another address than the invited */
  signIn(external: ExternalPerson, origin: Origin): Promise<SessionTokens> {
    return this.transactions.run(async (tx) => {
      const invitation = external.invitation === undefined ? null : await this.joining.hold(tx, external.invitation);
      const person = (await this.people.findByIdentity(tx, external)) ?? (await this.#firstTime(tx, external, { invitation, origin }));
      requireActive(person, invitation);
      if (invitation) {
        requireInvited(invitation, person.email);
        await this.joining.admit(tx, invitation, person, origin);
      }
      return this.entry.enter(tx, person, { slug: invitation?.slug, origin, method: 'identity_provider' });
    });
  }

  async #firstTime(tx: Tx, external: ExternalPerson, { invitation, origin }: Arrival): Promise<Person> {
    const { email, email_verified: verified, name = '' } = external;
    if (email === undefined || !verified) {
      throw new ServiceError(
        'not_permitted',
        'Your identity provider does not vouch for your email address, so nobody here can be recognized by it.',
      );
    }
    const known = await this.people.findByEmail(tx, email);
    if (known === null && invitation === null) throw uninvited();
    if (invitation) requireInvited(invitation, email);
    const person =
      known ??
      (await this.people.insert(tx, { email, name, passwordHash: null, isProven: true })) ??
      (await this.people.findByEmail(tx, email));
    if (person === null) throw uninvited();
    requireActive(person, invitation);
    if (!person.isProven) await this.proofs.prove(tx, person, origin);
    await this.people.link(tx, person.id, external);
    return person;
  }
}

/** What somebody brings who signs in by a provider for the first time. */
interface Arrival {
  readonly invitation: InvitationFacts | null;
  readonly origin: Origin;
}

/** Somebody suspended is as unknown as their link. */
function requireActive({ isSuspended }: Person, invitation: InvitationFacts | null): void {
  if (isSuspended) throw invitation === null ? uninvited() : invitationNotFound();
}

function requireInvited(invitation: InvitationFacts, email: string): void {
  if (invitation.email === null || invitation.email === email) return;
  throw new ServiceError('invalid_credentials', 'This invitation is for another email address than the one you signed in with.');
}

const uninvited = (): ServiceError => new ServiceError('not_permitted', 'Nobody here has your email address; ask to be invited.');
