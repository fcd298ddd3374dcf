import { Injectable } from '@nestjs/common';
import { NewPassword, ServiceError, type SessionTokens } from '@slipway/contracts';
import { Transactions, type Tx } from '@slipway/database';
import type { AttemptPlace } from '../people/attempts.repository.js';
import { JoiningService } from '../people/joining.service.js';
import { PasswordsService } from '../people/passwords.service.js';
import { PeopleRepository, type Person } from '../people/people.repository.js';
import { SessionEntry } from './session-entry.service.js';

/** What somebody who has a link says. */
export interface Acceptance {
  readonly token: string;
  /** Where the invitation names none. */
  readonly email?: string | undefined;
  readonly name?: string | undefined;
  readonly password: string;
}

/** Who accepts: somebody known who proved it, or somebody new with the hash of their password. */
type Guest = { readonly person: Person } | { readonly email: string; readonly name: string; readonly passwordHash: string };

/** Invitations accepted with a password: a new one for somebody new, theirs for somebody known. */
@Injectable()
export class AcceptanceService {
  constructor(
    private readonly transactions: Transactions,
    private readonly joining: JoiningService,
    private readonly people: PeopleRepository,
    private readonly passwords: PasswordsService,
    private readonly entry: SessionEntry,
  ) {}

  /** @throws ServiceError `invitation_not_found`, `invalid_credentials`, `rate_limit_exceeded`, `invalid_request` */
  async accept(acceptance: Acceptance, place: AttemptPlace): Promise<SessionTokens> {
    const facts = await this.joining.find(acceptance.token);
    const email = facts.email ?? acceptance.email;
    if (email === undefined) throw new ServiceError('invalid_request', 'Name your email address.', { param: 'email' });
    const guest = await this.#guest(email, acceptance, place);
    return this.transactions.run(async (tx) => {
      const invitation = await this.joining.hold(tx, acceptance.token);
      const person = await this.#personOf(tx, guest, place);
      await this.joining.admit(tx, invitation, person, place.origin);
      return this.entry.enter(tx, person, { ...place, slug: invitation.slug, method: 'invitation' });
    });
  }

  async #guest(email: string, { name = '', password }: Acceptance, place: AttemptPlace): Promise<Guest> {
    const known = await this.transactions.read((connection) => this.people.findByEmail(connection, email));
    if (known !== null) return { person: await this.passwords.prove({ email, password }, place) };
    const checked = NewPassword.safeParse(password);
    if (!checked.success) throw new ServiceError('invalid_request', checked.error.issues[0]?.message ?? '', { param: 'password' });
    return { email, name, passwordHash: await this.passwords.hash(password) };
  }

  async #personOf(tx: Tx, guest: Guest, place: AttemptPlace): Promise<Person> {
    if ('person' in guest) {
      await this.passwords.succeeded(tx, guest.person, place);
      return guest.person;
    }
    const inserted = await this.people.insert(tx, { ...guest, isProven: false });
    if (inserted === null)
      throw new ServiceError('invalid_credentials', 'Somebody took this address meanwhile; accept again with their password.');
    return inserted;
  }
}
