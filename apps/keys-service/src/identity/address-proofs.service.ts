import { Injectable } from '@nestjs/common';
import type { Origin } from '@slipway/contracts';
import { AuditLog, type Tx } from '@slipway/database';
import { MembershipsRepository } from './memberships.repository.js';
import { PeopleRepository, type Person } from './people.repository.js';
import { SessionEnding } from './session-ending.service.js';

/** Gives an address to whom an identity provider vouches for. */
@Injectable()
export class AddressProofs {
  constructor(
    private readonly people: PeopleRepository,
    private readonly memberships: MembershipsRepository,
    private readonly ending: SessionEnding,
    private readonly audit: AuditLog,
  ) {}

  /** Whoever set a password for this address has not shown that it is theirs. Owners of all accounts of the person read of it. */
  async prove(tx: Tx, person: Person, origin: Origin): Promise<void> {
    await this.people.prove(tx, person.id);
    const ended = await this.ending.endAll(tx, { user: person.id });
    const facts = { password_removed: person.passwordHash === null ? 0 : 1, sessions_ended: ended.length };
    const actor = { kind: 'user', user: person.id, ...origin } as const;
    const entry = { actor, actorName: person.email, action: 'user.prove', object: `user:${person.id}`, objectName: person.email, facts };
    for (const { account } of await this.memberships.accountsOf(tx, person.id)) await this.audit.record(tx, { ...entry, account });
  }
}
