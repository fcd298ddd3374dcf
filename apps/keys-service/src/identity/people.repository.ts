import { Injectable } from '@nestjs/common';
import { UserId, type UserState } from '@slipway/contracts';
import type { Tx } from '@slipway/database';
import { IsNull } from 'typeorm';
import { IdentityEntity, InvitationEntity, PersonEntity } from '../db/entities.js';
import { hashOf } from './secrets.js';

/** A person as repositories return them. */
export interface Person {
  readonly id: UserId;
  readonly email: string;
  readonly name: string;
  readonly passwordHash: string | null;
  /** An identity provider has verified the address. */
  readonly isVerified: boolean;
  /** A suspended person cannot sign in; callers get the same errors as for an unknown address. */
  readonly isSuspended: boolean;
}

/** The fields of a new person. */
export type NewPerson = Omit<Person, 'id' | 'isSuspended'>;

/** A person's subject at an identity provider. */
export interface ExternalIdentity {
  readonly issuer: string;
  readonly subject: string;
}

/** Rows with a person's number; `sessions.browser` is deleted by its foreign key. */
const DELETE_PERSON = [
  `UPDATE sessions.session SET address = NULL, client = NULL WHERE user_id = $1`,
  `DELETE FROM people.membership WHERE user_id = $1`,
  `DELETE FROM people.identity WHERE user_id = $1`,
  `DELETE FROM people.person WHERE id = $1`,
];

const personOf = ({ id, email, name, passwordHash, provenAt, suspendedAt }: PersonEntity): Person => ({
  id: UserId.parse(id),
  email,
  name,
  passwordHash,
  isVerified: provenAt !== null,
  isSuspended: suspendedAt !== null,
});

/** Rows of people and of their subjects at identity providers. */
@Injectable()
export class PeopleRepository {
  async findByEmail(tx: Tx, email: string): Promise<Person | null> {
    const row = await tx.findOneBy(PersonEntity, { email });
    return row && personOf(row);
  }

  async find(tx: Tx, id: UserId): Promise<Person | null> {
    const row = await tx.findOneBy(PersonEntity, { id });
    return row && personOf(row);
  }

  async findByIdentity(tx: Tx, { issuer, subject }: ExternalIdentity): Promise<Person | null> {
    const identity = await tx.findOneBy(IdentityEntity, { issuer, subject });
    return identity && this.find(tx, UserId.parse(identity.userId));
  }

  /** Names by number; people who gave none are left out. */
  async namesOf(tx: Tx, ids: ReadonlySet<number>): Promise<Map<number, string>> {
    if (ids.size === 0) return new Map();
    const rows = await tx.query<{ id: number; name: string }[]>(`SELECT id, name FROM people.person WHERE id = ANY($1) AND name <> ''`, [
      [...ids],
    ]);
    return new Map(rows.map(({ id, name }) => [id, name]));
  }

  /** Locked until the transaction ends: no sign-in with this address succeeds meanwhile. */
  async lockByEmail(tx: Tx, email: string): Promise<Person | null> {
    const row = await tx.findOne(PersonEntity, { where: { email }, lock: { mode: 'pessimistic_write' } });
    return row && personOf(row);
  }

  /** Locks a person until the transaction ends. @returns whether the password that was checked is still theirs, and they are not suspended */
  async lockForSignIn(tx: Tx, { id, passwordHash }: Person): Promise<boolean> {
    // Not a shared lock: two concurrent sign-ins would deadlock when each writes its time.
    const row = await tx.findOne(PersonEntity, { where: { id }, lock: { mode: 'for_no_key_update' } });
    return row !== null && row.suspendedAt === null && row.passwordHash === passwordHash;
  }

  /** Null when the address is taken; of concurrent calls, one succeeds. */
  async insert(tx: Tx, person: NewPerson): Promise<Person | null> {
    const { isVerified, ...fields } = person;
    const columns = { ...fields, provenAt: isVerified ? new Date() : null };
    const inserted = await tx.createQueryBuilder().insert().into(PersonEntity).values(columns).orIgnore().returning('id').execute();
    const [row] = inserted.raw as { id: number }[];
    return row === undefined ? null : { ...person, id: UserId.parse(row.id), isSuspended: false };
  }

  /** Makes a provider's subject a way to sign in as this person. */
  async link(tx: Tx, id: UserId, { issuer, subject }: ExternalIdentity): Promise<void> {
    await tx.createQueryBuilder().insert().into(IdentityEntity).values({ issuer, subject, userId: id }).orIgnore().execute();
  }

  /** @returns false when there is no such person */
  async rename(tx: Tx, id: UserId, name: string): Promise<boolean> {
    return (await tx.update(PersonEntity, { id }, { name })).affected === 1;
  }

  /** Whether there is anyone who could sign in. */
  async hasAny(tx: Tx): Promise<boolean> {
    const [row] = await tx.query<{ any: boolean }[]>(`SELECT EXISTS (SELECT 1 FROM people.person) AS any`);
    return row?.any === true;
  }

  async setPassword(tx: Tx, id: UserId, passwordHash: string): Promise<void> {
    await tx.update(PersonEntity, { id }, { passwordHash });
  }

  /** Marks the address as verified, and removes the password: whoever set it had not shown that the address is theirs. */
  async setVerified(tx: Tx, id: UserId): Promise<void> {
    await tx.update(PersonEntity, { id }, { passwordHash: null, provenAt: () => 'now()' });
  }

  async setState(tx: Tx, id: UserId, state: UserState): Promise<void> {
    await tx.update(PersonEntity, { id }, { suspendedAt: state === 'suspended' ? () => 'now()' : null });
  }

  /** Stores the time of a sign-in, and locks the person until the transaction ends. @returns false for a suspended person */
  async recordSignIn(tx: Tx, id: UserId): Promise<boolean> {
    const { affected } = await tx.update(PersonEntity, { id, suspendedAt: IsNull() }, { lastSignInAt: () => 'now()' });
    return affected === 1;
  }

  /** Deletes invitations of an address in all accounts. Called before the person is locked: accepting an invitation locks it first. */
  async deleteInvitations(tx: Tx, email: string): Promise<void> {
    await tx.delete(InvitationEntity, { email });
  }

  /** Deletes a person from every table but the audit log. The caller has locked them and ended their sessions. */
  async delete(tx: Tx, { id, email }: Pick<Person, 'id' | 'email'>): Promise<void> {
    for (const statement of DELETE_PERSON) await tx.query(statement, [id]);
    await tx.query(`DELETE FROM sessions.attempt WHERE email = $1`, [hashOf(email)]);
    // Lists of keys show the address of a key's creator.
    await tx.query(
      `UPDATE keys.key SET created_by = jsonb_set(created_by, '{name}', 'null')
       WHERE created_by ->> 'actor' = 'user' AND created_by ->> 'name' = $1`,
      [email],
    );
  }
}
