import { Inject, Injectable } from '@nestjs/common';
import { AuditLog, Transactions } from '@slipway/database';
import { LOG, type Logger } from '@slipway/platform';

import type { AttemptPlace } from './attempts.repository.js';
import { MembershipsRepository } from './memberships.repository.js';
import { PeopleRepository } from './people.repository.js';

/** Tells the owners of a person's accounts, in the audit log, that somebody failed to sign in by the person's address. */
@Injectable()
export class FailedSignIns {
  constructor(
    private readonly transactions: Transactions,
    private readonly people: PeopleRepository,
    private readonly memberships: MembershipsRepository,
    private readonly audit: AuditLog,
    @Inject(LOG) private readonly log: Pick<Logger, 'warn'>,
  ) {}

  /** Not waited for: how long it takes must not tell whether somebody has this address. */
  note(email: string, action: 'session.sign_in_failed' | 'session.locked_out', { origin }: AttemptPlace): void {
    this.#record(email, action, origin).catch((error: unknown) => this.log.warn({ action, err: error }, 'audit.sign_in_unrecorded'));
  }

  #record(email: string, action: string, origin: AttemptPlace['origin']): Promise<void> {
    return this.transactions.run(async (tx) => {
      const person = await this.people.findByEmail(tx, email);
      if (person === null) return;
      const entry = { action, origin, object: `user:${person.id}`, objectName: person.email };
      for (const { account } of await this.memberships.accountsOf(tx, person.id)) await this.audit.record(tx, { ...entry, account });
    });
  }
}
