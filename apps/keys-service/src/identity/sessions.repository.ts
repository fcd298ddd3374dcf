import { Injectable } from '@nestjs/common';
import { AccountId, type Origin, SessionId, UserId } from '@slipway/contracts';
import type { Tx } from '@slipway/database';
import { In, IsNull, MoreThan, Not } from 'typeorm';
import { SessionEntity } from '../db/session.entity.js';

/** A sign-in as the rest of the service knows it. */
export interface Session {
  readonly id: SessionId;
  readonly user: UserId;
  readonly account: AccountId;
  readonly ver: number;
  readonly generation: number;
  readonly createdAt: Date;
  readonly rotatedAt: Date;
  readonly expiresAt: Date;
  readonly endedAt: Date | null;
  readonly voidUntil: Date | null;
  readonly attemptHash: Buffer | null;
  readonly address: string | null;
  readonly client: string | null;
}

/** What a new session is made of. */
export interface NewSession extends Pick<Session, 'id' | 'user' | 'account' | 'expiresAt'> {
  readonly origin: Origin;
}

/** Sessions of a person: all, those in one account, or all but one. Or everybody's in an account. */
export type SessionFilter =
  | { readonly user: UserId; readonly account?: AccountId; readonly only?: SessionId; readonly except?: SessionId }
  | { readonly user?: undefined; readonly account: AccountId; readonly only?: undefined; readonly except?: undefined };

const sessionOf = ({ id, userId, accountId, ...row }: SessionEntity): Session => ({
  ...row,
  id: SessionId.parse(id),
  user: UserId.parse(userId),
  account: AccountId.parse(accountId),
});

/** Rows that one sign-in clears away besides its own work. */
const SWEPT_ROWS = 100;

@Injectable()
export class SessionsRepository {
  async insert(tx: Tx, { id, user, account, expiresAt, origin }: NewSession): Promise<Session> {
    const { address = null, client = null } = origin;
    await tx.insert(SessionEntity, { id, userId: user, accountId: account, expiresAt, address, client });
    return sessionOf(await tx.findOneByOrFail(SessionEntity, { id }));
  }

  async find(tx: Tx, id: SessionId): Promise<Session | null> {
    const row = await tx.findOneBy(SessionEntity, { id });
    return row && sessionOf(row);
  }

  /** Held until the transaction ends: uses of one session's tokens happen one after the other. */
  async hold(tx: Tx, id: SessionId): Promise<Session | null> {
    const row = await tx.findOne(SessionEntity, { where: { id }, lock: { mode: 'pessimistic_write' } });
    return row && sessionOf(row);
  }

  /** Sessions that go on, newest first. */
  async list(tx: Tx, user: UserId, limit: number): Promise<Session[]> {
    const where = { userId: user, endedAt: IsNull(), expiresAt: MoreThan(new Date()) };
    const rows = await tx.find(SessionEntity, { where, order: { createdAt: 'DESC' }, take: limit });
    return rows.map(sessionOf);
  }

  /** Those that go on, held until the transaction ends. */
  async holdAll(tx: Tx, { user, account, only, except }: SessionFilter): Promise<Session[]> {
    const id = only ?? (except === undefined ? undefined : Not(except as string));
    const where = {
      ...(user !== undefined && { userId: user }),
      endedAt: IsNull(),
      ...(account !== undefined && { accountId: account }),
      ...(id !== undefined && { id }),
    };
    const rows = await tx.find(SessionEntity, { where, order: { id: 'ASC' }, lock: { mode: 'pessimistic_write' } });
    return rows.map(sessionOf);
  }

  /** The next generation of refresh tokens begins, maybe in another account. */
  async advance(tx: Tx, { id, generation }: Session, { account, attemptHash }: Pick<Session, 'account' | 'attemptHash'>): Promise<void> {
    await tx.update(SessionEntity, { id }, { generation: generation + 1, rotatedAt: () => 'now()', accountId: account, attemptHash });
  }

  async setAccount(tx: Tx, { id }: Session, account: AccountId): Promise<void> {
    await tx.update(SessionEntity, { id }, { accountId: account });
  }

  /** Voids all tokens of the present version. An ended session never goes on, and its refresh tokens need not be known. */
  async voidTokens(tx: Tx, ids: readonly SessionId[], { until, end }: { until: Date; end: boolean }): Promise<Session[]> {
    if (ids.length === 0) return [];
    const where = { id: In([...ids]) };
    await tx.update(SessionEntity, where, { ver: () => 'ver + 1', voidUntil: until, ...(end && { endedAt: () => 'now()' }) });
    if (end) await tx.query(`DELETE FROM sessions.refresh_token WHERE session_id = ANY($1)`, [[...ids]]);
    return (await tx.find(SessionEntity, { where })).map(sessionOf);
  }

  /** Sessions with void tokens that may still live, with ids above `after`: for the feed's snapshot. */
  async voided(tx: Tx, after: string, limit: number): Promise<Session[]> {
    const where = { id: MoreThan(after), voidUntil: MoreThan(new Date()) };
    return (await tx.find(SessionEntity, { where, order: { id: 'ASC' }, take: limit })).map(sessionOf);
  }

  /** The generation in which a refresh token of the session was given out; null = never. */
  async generationOf(tx: Tx, session: SessionId, hash: Buffer): Promise<number | null> {
    const [row] = await tx.query<{ generation: number }[]>(
      `SELECT generation FROM sessions.refresh_token WHERE hash = $1 AND session_id = $2`,
      [hash, session],
    );
    return row?.generation ?? null;
  }

  async addRefreshToken(tx: Tx, session: SessionId, { hash, generation }: { hash: Buffer; generation: number }): Promise<void> {
    await tx.query(`INSERT INTO sessions.refresh_token (hash, session_id, generation) VALUES ($1, $2, $3)`, [hash, session, generation]);
  }

  /** Forgets sessions that nobody can come back to, a few at a time. */
  async sweep(tx: Tx): Promise<void> {
    await tx.query(
      `DELETE FROM sessions.session WHERE id IN (
         SELECT id FROM sessions.session WHERE expires_at < now() - interval '1 day' OR ended_at < now() - interval '1 day'
         LIMIT ${SWEPT_ROWS} FOR UPDATE SKIP LOCKED)`,
    );
  }
}
