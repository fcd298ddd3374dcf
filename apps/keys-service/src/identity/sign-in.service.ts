import { Injectable } from '@nestjs/common';
import type { SessionTokens } from '@slipway/contracts';
import { Transactions } from '@slipway/database';
import { type Credentials, PasswordsService } from './passwords.service.js';
import { type Entrance, SessionEntry } from './session-entry.service.js';

/** Sign-in by address and password. */
@Injectable()
export class SignInService {
  constructor(
    private readonly transactions: Transactions,
    private readonly passwords: PasswordsService,
    private readonly entry: SessionEntry,
  ) {}

  /** @throws ServiceError `invalid_credentials`, `not_permitted` without an account, `rate_limit_exceeded` */
  async signIn(credentials: Credentials, entrance: Omit<Entrance, 'method'>): Promise<SessionTokens> {
    const person = await this.passwords.prove(credentials, entrance);
    return this.transactions.run(async (tx) => {
      await this.passwords.succeeded(tx, person, entrance);
      return this.entry.enter(tx, person, { ...entrance, method: 'password' });
    });
  }
}
