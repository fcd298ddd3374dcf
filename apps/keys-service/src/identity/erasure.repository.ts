import { Injectable } from '@nestjs/common';
import type { UserId } from '@slipway/contracts';
import type { Tx } from '@slipway/database';
import { hashOf } from './link-token.js';
import { InvitationEntity } from '../db/invitation.entity.js';
import type { Person } from './people.repository.js';

/** Statements on what holds a person's number; `sessions.browser` goes with the person. */
const BY_NUMBER = [
  `UPDATE sessions.session SET address = NULL, client = NULL WHERE user_id = $1`,
  `DELETE FROM people.membership WHERE user_id = $1`,
  `DELETE FROM people.identity WHERE user_id = $1`,
  `DELETE FROM people.person WHERE id = $1`,
];

/** Takes a person out of every table but the audit log. */
@Injectable()
export class ErasureRepository {
  /** Links to an address, in all accounts. They are held first: who accepts one holds it before the person. */
  async eraseInvitations(tx: Tx, email: string): Promise<void> {
    await tx.delete(InvitationEntity, { email });
  }

  /** Everything else. Whoever calls holds the person, and has ended their sessions. */
  async erase(tx: Tx, { id, email }: { id: UserId } & Pick<Person, 'email'>): Promise<void> {
    for (const statement of BY_NUMBER) await tx.query(statement, [id]);
    await tx.query(`DELETE FROM sessions.attempt WHERE email = $1`, [hashOf(email)]);
    // Lists say of keys who made them, by address.
    await tx.query(
      `UPDATE keys.key SET created_by = jsonb_set(created_by, '{name}', 'null')
       WHERE created_by ->> 'actor' = 'user' AND created_by ->> 'name' = $1`,
      [email],
    );
  }
}
