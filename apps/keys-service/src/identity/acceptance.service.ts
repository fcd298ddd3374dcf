import { Injectable } from '@nestjs/common';
import { NewPassword, ServiceError, type SessionTokens } from '@slipway/contracts';
import { Transactions, type Tx } from '@slipway/database';
import type { AttemptPlace } from './attempts.repository.js';
import { JoiningService } from './joining.service.js';
import { invalidCredentials, PasswordsService, type PasswordTrial } from './passwords.service.js';
import { PeopleRepository, type Person } from './people.repository.js';
import { SessionEntry } from './session-entry.service.js';

/** What somebody who has a link says. */
export interface Acceptance {
  readonly token: string;
  /** Where the invitation names none. */
  readonly email?: string | undefined;
  readonly name?: string | undefined;
  readonly password: string;
}

/** Somebody who accepts, after their password was tried. */
interface Guest {
  readonly email: string;
  readonly name: string;
  readonly trial: PasswordTrial;
}

/**
 * Invitations accepted with a password: a new one for somebody new, theirs for somebody known. What is refused of both is
 * refused before it matters which of the two somebody is: else whoever made a link would learn whose addresses are known here.
 */
@Injectable()
export class AcceptanceService {
  constructor(
    private readonly transactions: Transactions,
    private readonly joining: JoiningService,
    private readonly people: PeopleRepository,
    private readonly passwords: PasswordsService,
    private readonly entry: SessionEntry,
  ) {}

  /** @throws ServiceError `invitation_not_found`, `invalid_credentials`, `quota_exceeded`, `rate_limit_exceeded`, `invalid_request` */
  async accept(acceptance: Acceptance, place: AttemptPlace): Promise<SessionTokens> {
    const { token, name = '', password } = acceptance;
    const email = (await this.joining.find(token)).email ?? acceptance.email;
    if (email === undefined) throw new ServiceError('invalid_request', 'Name your email address.', { param: 'email' });
    requireNewPassword(password);
    const trial = await this.passwords.try({ email, password }, place);
    return this.transactions.run(async (tx) => {
      const invitation = await this.joining.hold(tx, token);
      await this.joining.requireRoom(tx, invitation, email);
      const person = await this.#personOf(tx, { email, name, trial }, place);
      await this.joining.admit(tx, invitation, person, place.origin);
      return this.entry.enter(tx, person, { ...place, slug: invitation.slug, method: 'invitation' });
    });
  }

  async #personOf(tx: Tx, { email, name, trial }: Guest, place: AttemptPlace): Promise<Person> {
    if (trial.outcome === 'refused') throw invalidCredentials();
    if (trial.outcome === 'proved') {
      await this.passwords.succeeded(tx, trial.person, place);
      return trial.person;
    }
    const inserted = await this.people.insert(tx, { email, name, passwordHash: trial.passwordHash, isProven: false });
    if (inserted === null)
      throw new ServiceError('invalid_credentials', 'Somebody took this address meanwhile; accept again with their password.');
    await this.passwords.succeeded(tx, inserted, place);
    return inserted;
  }
}

/** Those who are known have a password of this form too. @throws ServiceError `invalid_request` */
function requireNewPassword(password: string): void {
  const checked = NewPassword.safeParse(password);
  if (!checked.success) throw new ServiceError('invalid_request', checked.error.issues[0]?.message ?? '', { param: 'password' });
}
