import { Injectable } from '@nestjs/common';
import { AccountId, type Origin, type SessionFeedRecord, SessionId, UserId } from '@slipway/contracts';
import { Transactions, type Tx } from '@slipway/database';
import type { FeedSource, StoredRecord } from '@slipway/feed';
import { In, IsNull, MoreThan, Not } from 'typeorm';
import { SessionEntity } from '../db/entities.js';

/** A session as repositories return it. */
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

/** The fields of a new session. */
export interface NewSession extends Pick<Session, 'id' | 'user' | 'account' | 'expiresAt'> {
  readonly origin: Origin;
}

/** Sessions of one person: all, those in one account, one, or all but one. Or all sessions in one account. */
export type SessionFilter =
  | { readonly user: UserId; readonly account?: AccountId; readonly only?: SessionId; readonly except?: SessionId }
  | { readonly user?: undefined; readonly account: AccountId; readonly only?: undefined; readonly except?: undefined };

const sessionOf = ({ id, userId, accountId, ...row }: SessionEntity): Session => ({
  ...row,
  id: SessionId.parse(id),
  user: UserId.parse(userId),
  account: AccountId.parse(accountId),
});

/** Expired sessions that one sign-in deletes. */
const SWEPT_ROWS = 100;

/** Rows of sessions and their refresh tokens. */
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

  /** Locked until the transaction ends: uses of one session's tokens run one after the other. */
  async lock(tx: Tx, id: SessionId): Promise<Session | null> {
    const row = await tx.findOne(SessionEntity, { where: { id }, lock: { mode: 'pessimistic_write' } });
    return row && sessionOf(row);
  }

  /** Sessions of a person that have not ended, newest first. */
  async list(tx: Tx, user: UserId, limit: number): Promise<Session[]> {
    const where = { userId: user, endedAt: IsNull(), expiresAt: MoreThan(new Date()) };
    const rows = await tx.find(SessionEntity, { where, order: { createdAt: 'DESC' }, take: limit });
    return rows.map(sessionOf);
  }

  /** Sessions that have not ended, locked until the transaction ends. */
  async lockAll(tx: Tx, { user, account, only, except }: SessionFilter): Promise<Session[]> {
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

  /** Begins the next generation of refresh tokens, possibly in another account. */
  async advance(tx: Tx, { id, generation }: Session, { account, attemptHash }: Pick<Session, 'account' | 'attemptHash'>): Promise<void> {
    await tx.update(SessionEntity, { id }, { generation: generation + 1, rotatedAt: () => 'now()', accountId: account, attemptHash });
  }

  async setAccount(tx: Tx, { id }: Session, account: AccountId): Promise<void> {
    await tx.update(SessionEntity, { id }, { accountId: account });
  }

  /** Voids all session tokens of the current version. @param end ends the sessions too, and deletes their refresh tokens */
  async voidTokens(tx: Tx, ids: readonly SessionId[], { until, end }: { until: Date; end: boolean }): Promise<Session[]> {
    if (ids.length === 0) return [];
    const where = { id: In([...ids]) };
    await tx.update(SessionEntity, where, { ver: () => 'ver + 1', voidUntil: until, ...(end && { endedAt: () => 'now()' }) });
    if (end) await tx.query(`DELETE FROM sessions.refresh_token WHERE session_id = ANY($1)`, [[...ids]]);
    return (await tx.find(SessionEntity, { where })).map(sessionOf);
  }

  /** The generation in which a refresh token of the session was issued; null = it never was. */
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

  /** Deletes sessions that ended or expired a day ago, 100 at most. */
  async sweep(tx: Tx): Promise<void> {
    await tx.query(
      `DELETE FROM sessions.session WHERE id IN (
         SELECT id FROM sessions.session WHERE expires_at < now() - interval '1 day' OR ended_at < now() - interval '1 day'
         LIMIT ${SWEPT_ROWS} FOR UPDATE SKIP LOCKED)`,
    );
  }
}

/** The record of a session with void tokens, as consoles get it. */
export const sessionRecord = ({
  id,
  ver,
  endedAt,
  voidUntil,
}: Pick<Session, 'id' | 'ver' | 'endedAt' | 'voidUntil'>): StoredRecord<SessionFeedRecord> => ({
  id: `session:${id}`,
  ver,
  rec: { id, ver, ended: endedAt !== null, until: voidUntil?.getTime() ?? 0 },
});

const RECORD_PREFIX = 'session:';

/** All records of the session feed in pages, for its snapshots: sessions with void tokens that may not have expired, by id. */
@Injectable()
export class SessionFeedSource implements FeedSource<SessionFeedRecord> {
  constructor(private readonly transactions: Transactions) {}

  page(after: string | null, limit: number): Promise<readonly StoredRecord<SessionFeedRecord>[]> {
    const last = after?.startsWith(RECORD_PREFIX) ? after.slice(RECORD_PREFIX.length) : '';
    return this.transactions.read(async (connection) => {
      const where = { id: MoreThan(last), voidUntil: MoreThan(new Date()) };
      const rows = await connection.find(SessionEntity, { where, order: { id: 'ASC' }, take: limit });
      return rows.map((row) => sessionRecord(sessionOf(row)));
    });
  }
}
