import { Inject, Injectable } from '@nestjs/common';
import { ServiceError, type UserId } from '@slipway/contracts';
import { AuditLog, Transactions, type Tx } from '@slipway/database';
import { LOG, type Logger, networksOf } from '@slipway/platform';
import { type Attempt, AttemptsRepository, type AttemptSource } from './attempts.repository.js';
import { FairLanes, type Lane } from './fair-lanes.js';
import { MembershipsRepository } from './memberships.repository.js';
import { PasswordHasher } from './password-hasher.js';
import { PeopleRepository, type Person } from './people.repository.js';

/** An email address and a password. */
export interface Credentials {
  readonly email: string;
  readonly password: string;
}

/** The result of a check. For an unknown address it has the password's hash, with which a new person can be created. */
export type PasswordCheck =
  | { readonly outcome: 'correct'; readonly person: Person }
  | { readonly outcome: 'wrong' }
  | { readonly outcome: 'unknown'; readonly passwordHash: string };

/** Records failed sign-ins in the audit logs of the person's accounts. */
@Injectable()
export class FailedSignIns {
  constructor(
    private readonly transactions: Transactions,
    private readonly people: PeopleRepository,
    private readonly memberships: MembershipsRepository,
    private readonly audit: AuditLog,
    @Inject(LOG) private readonly log: Pick<Logger, 'warn'>,
  ) {}

  /** Runs in the background: the time of the answer must not show whether a person has this address. */
  note(email: string, action: 'session.sign_in_failed' | 'session.locked_out', { origin }: AttemptSource): void {
    this.#record(email, action, origin).catch((error: unknown) => this.log.warn({ action, err: error }, 'audit.sign_in_unrecorded'));
  }

  #record(email: string, action: string, origin: AttemptSource['origin']): Promise<void> {
    return this.transactions.run(async (tx) => {
      const person = await this.people.findByEmail(tx, email);
      if (person === null) return;
      const entry = { action, origin, object: `user:${person.id}`, objectName: person.email };
      for (const { account } of await this.memberships.accountsOf(tx, person.id)) await this.audit.record(tx, { ...entry, account });
    });
  }
}

/** Attempts that are counted at a time: fewer than the connections to the database, so that a flood leaves some to all else. */
const COUNTED_AT_ONCE = 4;

/** Checks and stores passwords. */
@Injectable()
export class PasswordsService {
  readonly #lanes = new FairLanes(COUNTED_AT_ONCE);

  constructor(
    private readonly transactions: Transactions,
    private readonly people: PeopleRepository,
    private readonly attempts: AttemptsRepository,
    private readonly hasher: PasswordHasher,
    private readonly failures: FailedSignIns,
  ) {}

  /** As `check`, for a person who must exist. @throws ServiceError `invalid_credentials`, `rate_limit_exceeded`, `unavailable` */
  async verify(credentials: Credentials, source: AttemptSource): Promise<Person> {
    const check = await this.check(credentials, source);
    if (check.outcome !== 'correct') throw invalidCredentials();
    return check.person;
  }

  /**
   * Checks a password. Known, suspended and unknown addresses cost the same: the attempt is counted, the address is looked up, and
   * one hash is computed. The first failure of a source and its lock-out are recorded in the audit logs of the person's accounts.
   * @throws ServiceError `rate_limit_exceeded`, `unavailable`
   */
  async check({ email, password }: Credentials, source: AttemptSource): Promise<PasswordCheck> {
    const { isFirst, isKnown, person } = await this.#lanes.run(claimedLane(source), () => this.#begin(email, source));
    const lane = isKnown ? knownLane(email) : unknownLane(source);
    if (person === null) return { outcome: 'unknown', passwordHash: await this.hasher.hash(password, lane) };
    if ((await this.hasher.matches(person.passwordHash, password, lane)) && !person.isSuspended) return { outcome: 'correct', person };
    if (isFirst) this.failures.note(email, 'session.sign_in_failed', source);
    return { outcome: 'wrong' };
  }

  async #begin(email: string, source: AttemptSource): Promise<Attempt & { readonly person: Person | null }> {
    const attempt = await this.attempts.begin(email, source, () => this.failures.note(email, 'session.locked_out', source));
    return { ...attempt, person: await this.transactions.read((connection) => this.people.findByEmail(connection, email)) };
  }

  /**
   * Confirms a successful check in the transaction that acts on it, and resets the source's counter of failures.
   * @throws ServiceError `invalid_credentials` where the password was changed or removed since the check, or the person suspended
   */
  async confirm(tx: Tx, person: Person, source: AttemptSource): Promise<void> {
    if (!(await this.people.lockForSignIn(tx, person))) throw invalidCredentials();
    await this.attempts.clear(tx, person.email, source);
  }

  /** The hash of a new password that an operator or a signed-in person sets. @throws ServiceError `unavailable` */
  hash(password: string, user: UserId): Promise<string> {
    return this.hasher.hash(password, knownLane(`user ${user}`));
  }

  /** Stores a new password and resets all counters of failures with the old one. */
  async reset(tx: Tx, { id, email }: Person, passwordHash: string): Promise<void> {
    await this.people.setPassword(tx, id, passwordHash);
    await this.attempts.clearAll(tx, email);
  }

  async set(tx: Tx, id: UserId, passwordHash: string): Promise<void> {
    await this.people.setPassword(tx, id, passwordHash);
  }
}

const knownLane = (key: string): Lane => ({ group: 'known', key });

/** One lane per widest network of the address, however many addresses a caller has in it. */
const unknownLane = ({ origin }: AttemptSource): Lane => ({
  group: 'unknown',
  key: networksOf(origin.address ?? '')[0]?.name ?? '',
});

/** The lane before the database was asked: who says that they are known waits apart from the others, by network too. */
const claimedLane = (source: AttemptSource): Lane => ({
  ...unknownLane(source),
  group: source.session === undefined && source.browser === undefined ? 'unknown' : 'known',
});

/** The error for every pair of address and password that is not valid. */
export const invalidCredentials = (): ServiceError => new ServiceError('invalid_credentials', 'Wrong email address or password.');
