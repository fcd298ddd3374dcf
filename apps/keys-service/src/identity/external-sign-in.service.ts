import { Injectable } from '@nestjs/common';
import { type Origin, ServiceError, type SessionTokens } from '@slipway/contracts';
import { Transactions, type Tx } from '@slipway/database';
import { type InvitationDetails, invitationNotFound, InvitationRedemption } from './invitation-redemption.service.js';
import { type ExternalIdentity, PeopleRepository, type Person } from './people.repository.js';
import { PeopleService } from './people.service.js';
import { SignInCompletion } from './sign-in-completion.service.js';

/** Verified statements of an identity provider about a person. */
export interface ExternalPerson extends ExternalIdentity {
  readonly email?: string | undefined;
  readonly email_verified: boolean;
  readonly name?: string | undefined;
  /** The invitation link that this sign-in accepts. */
  readonly invitation?: string | undefined;
}

/** A first sign-in by a provider. */
interface FirstSignIn {
  readonly invitation: InvitationDetails | null;
  readonly origin: Origin;
}

/**
 * Sign-in by an identity provider. A person is identified by the provider's subject; a verified address counts at the first sign-in
 * only. Another person may have registered the address before, by an invitation that any owner created for it. So the provider's
 * first verification of the address removes its password and ends its sessions.
 */
@Injectable()
export class ExternalSignIn {
  constructor(
    private readonly transactions: Transactions,
    private readonly people: PeopleRepository,
    private readonly invitations: InvitationRedemption,
    private readonly completion: SignInCompletion,
    private readonly peopleService: PeopleService,
  ) {}

  /** @throws ServiceError `not_permitted` without an invitation, `invitation_not_found`, `invalid_credentials` for another address than the invited one */
  signIn(external: ExternalPerson, origin: Origin): Promise<SessionTokens> {
    return this.transactions.run(async (tx) => {
      const invitation = external.invitation === undefined ? null : await this.invitations.lock(tx, external.invitation);
      const person = (await this.people.findByIdentity(tx, external)) ?? (await this.#firstSignIn(tx, external, { invitation, origin }));
      requireActive(person, invitation);
      if (invitation) {
        requireInvited(invitation, person.email);
        await this.invitations.redeem(tx, invitation, person, origin);
      }
      return this.completion.complete(tx, person, { slug: invitation?.slug, origin, method: 'identity_provider' });
    });
  }

  async #firstSignIn(tx: Tx, external: ExternalPerson, { invitation, origin }: FirstSignIn): Promise<Person> {
    const { email, email_verified: verified, name = '' } = external;
    if (email === undefined || !verified) {
      throw new ServiceError('not_permitted', 'Your identity provider has not verified your email address, which is needed to sign in.');
    }
    const known = await this.people.findByEmail(tx, email);
    if (known === null && invitation === null) throw notInvited();
    if (invitation) requireInvited(invitation, email);
    const person =
      known ??
      (await this.people.insert(tx, { email, name, passwordHash: null, isVerified: true })) ??
      (await this.people.findByEmail(tx, email));
    if (person === null) throw notInvited();
    requireActive(person, invitation);
    if (!person.isVerified) await this.peopleService.verifyAddress(tx, person, origin);
    await this.people.link(tx, person.id, external);
    return person;
  }
}

/** A suspended person gets the same error as an unknown one. */
function requireActive({ isSuspended }: Person, invitation: InvitationDetails | null): void {
  if (isSuspended) throw invitation === null ? notInvited() : invitationNotFound();
}

function requireInvited(invitation: InvitationDetails, email: string): void {
  if (invitation.email === null || invitation.email === email) return;
  throw new ServiceError('invalid_credentials', 'This invitation is for another email address than the one you signed in with.');
}

const notInvited = (): ServiceError => new ServiceError('not_permitted', 'Your email address is not known here; ask to be invited.');
