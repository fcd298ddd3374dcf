import { Injectable } from '@nestjs/common';
import { AccountId, type MemberRole, UserId } from '@slipway/contracts';
import type { Tx } from '@slipway/database';
import { MembershipEntity } from '../db/entities.js';

/** An account that a person belongs to. */
export interface Membership {
  readonly account: AccountId;
  readonly slug: string;
  readonly role: MemberRole;
}

/** A member of an account. */
export interface Member {
  readonly id: UserId;
  readonly email: string;
  readonly name: string;
  readonly role: MemberRole;
  readonly joinedAt: Date;
  readonly lastSignInAt: Date | null;
  readonly suspendedAt: Date | null;
}

/** A member as lists show them. */
export interface ListedMember extends Member {
  /** The last sign-in or refresh of a session, in any account; null = none that is still stored. */
  readonly lastActiveAt: Date | null;
}

type Row<T extends Member> = Omit<T, 'id'> & { readonly id: number };

const COLUMNS = `p.id, p.email, p.name, m.role, m.joined_at AS "joinedAt", p.last_sign_in_at AS "lastSignInAt",
    p.suspended_at AS "suspendedAt"`;
const OF_ACCOUNT = `FROM people.membership m JOIN people.person p ON p.id = m.user_id WHERE m.account_id = $1`;
const MEMBERS = `SELECT ${COLUMNS} ${OF_ACCOUNT}`;
const LISTED = `SELECT ${COLUMNS}, (SELECT max(s.rotated_at) FROM sessions.session s WHERE s.user_id = p.id) AS "lastActiveAt" ${OF_ACCOUNT}`;

/** Rows of memberships. Every statement names the account or the person, so that none reaches another account's members. */
@Injectable()
export class MembershipsRepository {
  /** Null when the person does not belong to the account. */
  async find(tx: Tx, account: AccountId, user: UserId): Promise<Member | null> {
    const [row] = await tx.query<Row<Member>[]>(`${MEMBERS} AND m.user_id = $2`, [account, user]);
    return row ? { ...row, id: UserId.parse(row.id) } : null;
  }

  /** Whether a member of the account has this address. */
  async hasEmail(tx: Tx, account: AccountId, email: string): Promise<boolean> {
    return (await tx.query<unknown[]>(`${MEMBERS} AND p.email = $2`, [account, email])).length > 0;
  }

  /** Members with numbers above `after`, in order of number. */
  async page(tx: Tx, account: AccountId, { after, limit }: { after: number; limit: number }): Promise<ListedMember[]> {
    const rows = await tx.query<Row<ListedMember>[]>(`${LISTED} AND m.user_id > $2 ORDER BY m.user_id LIMIT $3`, [account, after, limit]);
    return rows.map((row) => ({ ...row, id: UserId.parse(row.id) }));
  }

  /** The accounts of a person, oldest first. */
  async accountsOf(tx: Tx, user: UserId): Promise<Membership[]> {
    const rows = await tx.query<{ account: number; slug: string; role: MemberRole }[]>(
      `SELECT m.account_id AS account, a.slug, m.role
       FROM people.membership m JOIN accounts.account a ON a.id = m.account_id WHERE m.user_id = $1 ORDER BY m.account_id`,
      [user],
    );
    return rows.map((row) => ({ ...row, account: AccountId.parse(row.account) }));
  }

  /** As `accountsOf`, locked until the transaction ends: no role changes meanwhile. */
  async lockAccountsOf(tx: Tx, user: UserId): Promise<Membership[]> {
    await tx.query(`SELECT 1 FROM people.membership WHERE user_id = $1 ORDER BY account_id FOR SHARE`, [user]);
    return this.accountsOf(tx, user);
  }

  /** A person who belongs to the account already keeps their role. */
  async add(tx: Tx, account: AccountId, { user, role }: { user: UserId; role: MemberRole }): Promise<void> {
    await tx.createQueryBuilder().insert().into(MembershipEntity).values({ accountId: account, userId: user, role }).orIgnore().execute();
  }

  async setRole(tx: Tx, account: AccountId, { user, role }: { user: UserId; role: MemberRole }): Promise<void> {
    await tx.update(MembershipEntity, { accountId: account, userId: user }, { role });
  }

  async remove(tx: Tx, account: AccountId, user: UserId): Promise<void> {
    await tx.delete(MembershipEntity, { accountId: account, userId: user });
  }

  /** The account's owners, locked until the transaction ends: of two owners who remove each other, one stays. */
  async lockOwners(tx: Tx, account: AccountId): Promise<UserId[]> {
    const rows = await tx.find(MembershipEntity, {
      where: { accountId: account, role: 'owner' },
      order: { userId: 'ASC' },
      lock: { mode: 'pessimistic_write' },
    });
    return rows.map(({ userId }) => UserId.parse(userId));
  }
}
