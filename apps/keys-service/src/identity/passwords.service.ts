import { Injectable } from '@nestjs/common';
import { ServiceError, type UserId } from '@slipway/contracts';
import { Transactions, type Tx } from '@slipway/database';
import { networksOf } from '@slipway/platform';
import { type AttemptPlace, AttemptsRepository } from './attempts.repository.js';
import { FailedSignIns } from './failed-sign-ins.service.js';
import { type HashTurn, PasswordHasher } from './password-hasher.js';
import { PeopleRepository, type Person } from './people.repository.js';

/** What somebody types to sign in. */
export interface Credentials {
  readonly email: string;
  readonly password: string;
}

/** What became of a password: whose it is, that it opens nothing, or what is stored of it if somebody new is to have it. */
export type PasswordTrial =
  | { readonly outcome: 'proved'; readonly person: Person }
  | { readonly outcome: 'refused' }
  | { readonly outcome: 'unknown'; readonly passwordHash: string };

/** Who somebody is by their password, and what that password is. */
@Injectable()
export class PasswordsService {
  constructor(
    private readonly transactions: Transactions,
    private readonly people: PeopleRepository,
    private readonly attempts: AttemptsRepository,
    private readonly hasher: PasswordHasher,
    private readonly failures: FailedSignIns,
  ) {}

  /**
   * The person whose address and password these are. Known, suspended and unknown addresses cost the same.
   * @throws ServiceError `invalid_credentials`, `rate_limit_exceeded`, `unavailable`
   */
  async prove(credentials: Credentials, place: AttemptPlace): Promise<Person> {
    const trial = await this.try(credentials, place);
    if (trial.outcome !== 'proved') throw invalidCredentials();
    return trial.person;
  }

  /**
   * Tries a password. Known, suspended and unknown addresses cost the same: an attempt is counted, the address is looked up, one
   * hash is computed. Owners of a known person's accounts read of the first failure of a place and of its lock-out in their audit
   * logs, written behind the answer.
   * @throws ServiceError `rate_limit_exceeded`, `unavailable`
   */
  async try({ email, password }: Credentials, place: AttemptPlace): Promise<PasswordTrial> {
    const { isFirst, isKnown } = await this.attempts.begin(email, place, () => this.failures.note(email, 'session.locked_out', place));
    const person = await this.transactions.read((connection) => this.people.findByEmail(connection, email));
    const turn = isKnown ? knownTurn(email) : strangersTurn(place);
    if (person === null) return { outcome: 'unknown', passwordHash: await this.hasher.hash(password, turn) };
    if ((await this.hasher.matches(person.passwordHash, password, turn)) && !person.isSuspended) return { outcome: 'proved', person };
    if (isFirst) this.failures.note(email, 'session.sign_in_failed', place);
    return { outcome: 'refused' };
  }

  /**
   * A proof led somewhere: earlier failures of its place count no more.
   * @throws ServiceError `invalid_credentials` where the password was changed or taken away since it was proved, or the person suspended
   */
  async succeeded(tx: Tx, person: Person, place: AttemptPlace): Promise<void> {
    if (!(await this.people.holdsPassword(tx, person))) throw invalidCredentials();
    await this.attempts.clear(tx, person.email, place);
  }

  /** What is stored of a new password, which an operator or somebody signed in sets. @throws ServiceError `unavailable` */
  hash(password: string, user: UserId): Promise<string> {
    return this.hasher.hash(password, knownTurn(`user ${user}`));
  }

  /** Sets a password that nobody had to prove; failures with the one before count no more. */
  async replace(tx: Tx, { id, email }: Person, passwordHash: string): Promise<void> {
    await this.people.setPassword(tx, id, passwordHash);
    await this.attempts.clearAll(tx, email);
  }

  async set(tx: Tx, id: UserId, passwordHash: string): Promise<void> {
    await this.people.setPassword(tx, id, passwordHash);
  }
}

const knownTurn = (of: string): HashTurn => ({ group: 'known', of });

/** By the widest of their networks: who has many addresses in it has one turn. */
const strangersTurn = ({ origin }: AttemptPlace): HashTurn => ({
  group: 'strangers',
  of: networksOf(origin.address ?? '')[0]?.name ?? '',
});

/** One answer to every address and password that open nothing. */
export const invalidCredentials = (): ServiceError =>
  new ServiceError('invalid_credentials', 'This address and this password do not belong together.');
