import { Injectable } from '@nestjs/common';
import { ServiceError, type UserId } from '@slipway/contracts';
import { Transactions, type Tx } from '@slipway/database';
import { AttemptsRepository } from './attempts.repository.js';
import { PasswordHasher } from './password-hasher.js';
import { PeopleRepository, type Person } from './people.repository.js';

/** What somebody types to sign in. */
export interface Credentials {
  readonly email: string;
  readonly password: string;
}

/** Who somebody is by their password, and what that password is. */
@Injectable()
export class PasswordsService {
  constructor(
    private readonly transactions: Transactions,
    private readonly people: PeopleRepository,
    private readonly attempts: AttemptsRepository,
    private readonly hasher: PasswordHasher,
  ) {}

  /**
   * The person whose address and password these are. Known and unknown addresses cost the same: an attempt is counted,
   * the address is looked up, one hash is computed.
   * @throws ServiceError `invalid_credentials`, `rate_limit_exceeded`
   */
  async prove({ email, password }: Credentials): Promise<Person> {
    await this.attempts.begin(email);
    const person = await this.transactions.read((connection) => this.people.findByEmail(connection, email));
    const matches = await this.hasher.matches(person?.passwordHash ?? null, password);
    if (!matches || person === null) {
      throw new ServiceError('invalid_credentials', 'This address and this password do not belong together.');
    }
    return person;
  }

  /** A proof led somewhere: earlier failures count no more. */
  async succeeded(tx: Tx, { email }: Person): Promise<void> {
    await this.attempts.clear(tx, email);
  }

  /** What is stored of a new password. */
  hash(password: string): Promise<string> {
    return this.hasher.hash(password);
  }

  async set(tx: Tx, id: UserId, passwordHash: string): Promise<void> {
    await this.people.setPassword(tx, id, passwordHash);
  }
}
