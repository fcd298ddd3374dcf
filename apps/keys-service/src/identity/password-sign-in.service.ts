import { Injectable } from '@nestjs/common';
import { NewPassword, ServiceError, type SessionTokens } from '@slipway/contracts';
import { Transactions, type Tx } from '@slipway/database';
import type { AttemptSource } from './attempts.repository.js';
import { InvitationRedemption } from './invitation-redemption.service.js';
import { requireStrongPassword } from './password-strength.js';
import { type Credentials, invalidCredentials, type PasswordCheck, PasswordsService } from './passwords.service.js';
import { PeopleRepository, type Person } from './people.repository.js';
import { SignInCompletion, type SignInContext } from './sign-in-completion.service.js';

/** What a person enters on the page of an invitation. */
export interface Acceptance {
  readonly token: string;
  /** Needed where the invitation has no address. */
  readonly email?: string | undefined;
  readonly name?: string | undefined;
  readonly password: string;
}

/** A person who accepts an invitation, after the check of their password. */
interface CheckedGuest {
  readonly email: string;
  readonly name: string;
  readonly check: PasswordCheck;
}

/** Sign-in with an email address and a password, and the acceptance of invitations with a password. */
@Injectable()
export class PasswordSignIn {
  constructor(
    private readonly transactions: Transactions,
    private readonly invitations: InvitationRedemption,
    private readonly people: PeopleRepository,
    private readonly passwords: PasswordsService,
    private readonly completion: SignInCompletion,
  ) {}

  /** @throws ServiceError `invalid_credentials`, `not_permitted` without an account, `rate_limit_exceeded` */
  async signIn(credentials: Credentials, context: Omit<SignInContext, 'method'>): Promise<SessionTokens> {
    const person = await this.passwords.verify(credentials, context);
    return this.transactions.run(async (tx) => {
      await this.passwords.confirm(tx, person, context);
      return this.completion.complete(tx, person, { ...context, method: 'password' });
    });
  }

  /**
   * Accepts an invitation: a new person sets a password, a known one enters theirs. All refusals that can meet both are checked
   * before the two differ; otherwise the creator of a link could learn which addresses are known to the service. A password that
   * is easy to guess is refused to all but the person whose password it is.
   * @throws ServiceError `invitation_not_found`, `invalid_credentials`, `quota_exceeded`, `rate_limit_exceeded`, `invalid_request`
   */
  async acceptInvitation(acceptance: Acceptance, source: AttemptSource): Promise<SessionTokens> {
    const { token, name = '', password } = acceptance;
    const email = (await this.invitations.find(token)).email ?? acceptance.email;
    if (email === undefined) throw new ServiceError('invalid_request', 'Enter your email address.', { param: 'email' });
    requireNewPassword(password);
    const check = await this.passwords.check({ email, password }, source);
    if (check.outcome !== 'correct') await requireStrongPassword(password, { email, name }, 'password');
    return this.transactions.run(async (tx) => {
      const invitation = await this.invitations.lock(tx, token);
      await this.invitations.requireRoom(tx, invitation, email);
      const person = await this.#personOf(tx, { email, name, check }, source);
      await this.invitations.redeem(tx, invitation, person, source.origin);
      return this.completion.complete(tx, person, { ...source, slug: invitation.slug, method: 'invitation' });
    });
  }

  async #personOf(tx: Tx, { email, name, check }: CheckedGuest, source: AttemptSource): Promise<Person> {
    if (check.outcome === 'wrong') throw invalidCredentials();
    if (check.outcome === 'correct') {
      await this.passwords.confirm(tx, check.person, source);
      return check.person;
    }
    const inserted = await this.people.insert(tx, { email, name, passwordHash: check.passwordHash, isVerified: false });
    if (inserted === null) {
      throw new ServiceError('invalid_credentials', 'This address was registered meanwhile; accept again with its password.');
    }
    await this.passwords.confirm(tx, inserted, source);
    return inserted;
  }
}

/** The rules for new passwords also hold for the passwords of known people. @throws ServiceError `invalid_request` */
function requireNewPassword(password: string): void {
  const checked = NewPassword.safeParse(password);
  if (!checked.success) throw new ServiceError('invalid_request', checked.error.issues[0]?.message ?? '', { param: 'password' });
}
