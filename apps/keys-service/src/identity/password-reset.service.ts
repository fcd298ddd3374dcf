import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { type Actor, ServiceError, type UserId } from '@slipway/contracts';
import { AuditLog, Transactions } from '@slipway/database';
import { MembershipsRepository } from './memberships.repository.js';
import { PasswordsService } from './passwords.service.js';
import { PeopleRepository } from './people.repository.js';
import { SessionEnding } from './session-ending.service.js';

/** 128 random bits. */
const PASSWORD_BYTES = 16;

/** Gives people another password who forgot theirs. */
@Injectable()
export class PasswordResetService {
  constructor(
    private readonly transactions: Transactions,
    private readonly people: PeopleRepository,
    private readonly memberships: MembershipsRepository,
    private readonly passwords: PasswordsService,
    private readonly ending: SessionEnding,
    private readonly audit: AuditLog,
  ) {}

  /**
   * All sessions of the person end, and owners of all their accounts read of it.
   * @throws ServiceError `user_not_found`
   */
  async reset(user: UserId, actor: Actor): Promise<{ password: string; ended: number }> {
    const password = randomBytes(PASSWORD_BYTES).toString('base64url');
    const passwordHash = await this.passwords.hash(password, user);
    return this.transactions.run(async (tx) => {
      const person = await this.people.find(tx, user);
      if (person === null) throw new ServiceError('user_not_found', 'There is no user of this number.', { param: 'user' });
      await this.passwords.replace(tx, person, passwordHash);
      const ended = (await this.ending.endAll(tx, { user })).length;
      const entry = { actor, action: 'password.reset', object: `user:${user}`, objectName: person.email, facts: { sessions_ended: ended } };
      for (const { account } of await this.memberships.accountsOf(tx, user)) await this.audit.record(tx, { ...entry, account });
      return { password, ended };
    });
  }
}
