import { Injectable } from '@nestjs/common';
import { UserId, type UserState } from '@slipway/contracts';
import type { Tx } from '@slipway/database';
import { IsNull } from 'typeorm';
import { IdentityEntity } from '../db/identity.entity.js';
import { PersonEntity } from '../db/person.entity.js';

/** A person as the rest of the service knows them. */
export interface Person {
  readonly id: UserId;
  readonly email: string;
  readonly name: string;
  readonly passwordHash: string | null;
  /** An identity provider has vouched for the address. */
  readonly isProven: boolean;
  /** Nothing opens for them, and nobody outside may tell. */
  readonly isSuspended: boolean;
}

/** What a new person is made of. */
export type NewPerson = Omit<Person, 'id' | 'isSuspended'>;

/** What an identity provider calls a person. */
export interface ExternalIdentity {
  readonly issuer: string;
  readonly subject: string;
}

const personOf = ({ id, email, name, passwordHash, provenAt, suspendedAt }: PersonEntity): Person => ({
  id: UserId.parse(id),
  email,
  name,
  passwordHash,
  isProven: provenAt !== null,
  isSuspended: suspendedAt !== null,
});

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

  /** The same, held until the transaction ends: nobody signs in by this address meanwhile. */
  async holdByEmail(tx: Tx, email: string): Promise<Person | null> {
    const row = await tx.findOne(PersonEntity, { where: { email }, lock: { mode: 'pessimistic_write' } });
    return row && personOf(row);
  }

  async findByIdentity(tx: Tx, { issuer, subject }: ExternalIdentity): Promise<Person | null> {
    const identity = await tx.findOneBy(IdentityEntity, { issuer, subject });
    return identity && this.find(tx, UserId.parse(identity.userId));
  }

  /** Null when the address is taken; of calls at once, one gets it. */
  async insert(tx: Tx, person: NewPerson): Promise<Person | null> {
    const { isProven, ...fields } = person;
    const columns = { ...fields, provenAt: isProven ? new Date() : null };
    const inserted = await tx.createQueryBuilder().insert().into(PersonEntity).values(columns).orIgnore().returning('id').execute();
    const [row] = inserted.raw as { id: number }[];
    return row === undefined ? null : { ...person, id: UserId.parse(row.id), isSuspended: false };
  }

  /** From now on the provider's subject is this person. */
  async link(tx: Tx, id: UserId, identity: ExternalIdentity): Promise<void> {
    await tx
      .createQueryBuilder()
      .insert()
      .into(IdentityEntity)
      .values({ ...identity, userId: id })
      .orIgnore()
      .execute();
  }

  async setPassword(tx: Tx, id: UserId, passwordHash: string): Promise<void> {
    await tx.update(PersonEntity, { id }, { passwordHash });
  }

  /** The address is proven from now on, and the password that somebody may have set before is gone. */
  async prove(tx: Tx, id: UserId): Promise<void> {
    await tx.update(PersonEntity, { id }, { passwordHash: null, provenAt: () => 'now()' });
  }

  /** Whether the person may still sign in by the password that was checked; it stays so until the transaction ends. */
  async holdsPassword(tx: Tx, { id, passwordHash }: Person): Promise<boolean> {
    // Not a shared lock: of two sign-ins at once, each would wait for the other to write down that it happened.
    const row = await tx.findOne(PersonEntity, { where: { id }, lock: { mode: 'for_no_key_update' } });
    return row !== null && row.suspendedAt === null && row.passwordHash === passwordHash;
  }

  async setState(tx: Tx, id: UserId, state: UserState): Promise<void> {
    await tx.update(PersonEntity, { id }, { suspendedAt: state === 'suspended' ? () => 'now()' : null });
  }

  /** Writes down that the person signs in now. False for somebody suspended; nobody is suspended until the transaction ends. */
  async signedIn(tx: Tx, id: UserId): Promise<boolean> {
    const { affected } = await tx.update(PersonEntity, { id, suspendedAt: IsNull() }, { lastSignInAt: () => 'now()' });
    return affected === 1;
  }
}
