import { isIPv4, isIPv6 } from 'node:net';
import { Injectable } from '@nestjs/common';
import { type Origin, ServiceError, type SessionId } from '@slipway/contracts';
import { Transactions, type Tx } from '@slipway/database';
import { hashOf } from './secrets.js';

/** Failures per window from one network, session or known browser with one address; then it has to wait. */
const FAILURES_MAX = 10;
/** Failures per window with one address from all networks together; then only sessions and known browsers may try. */
const ADDRESS_FAILURES_MAX = 50;
const WINDOW = `interval '15 minutes'`;
/** How long a browser stays known after its last sign-in. */
const BROWSER_LIFE = `interval '180 days'`;
/** Known browsers per person. */
const BROWSERS_MAX = 20;
/** Expired nonces that one sign-in deletes. */
const SWEPT_NONCES = 100;

/** Where a password attempt comes from. */
export interface AttemptSource {
  readonly origin: Origin;
  /** The token that an earlier sign-in gave this browser. */
  readonly browser?: string | undefined;
  /** The session that asks for the password again. */
  readonly session?: SessionId | undefined;
}

/** A counted attempt. */
export interface Attempt {
  /** The first one of its source in the window. */
  readonly isFirst: boolean;
  /** From a session, or from a browser that signed in with the address before. */
  readonly isKnown: boolean;
}

interface Counter {
  readonly subject: Buffer;
  readonly max: number;
}

/**
 * Counts failed sign-ins by address and source, for all replicas, and for addresses of people and others alike. Passwords that are
 * tried from one network lock out that network only. Addresses are stored as hashes: a mistyped address may be a password.
 */
@Injectable()
export class AttemptsRepository {
  constructor(private readonly transactions: Transactions) {}

  /**
   * Counts an attempt before its password is checked, so that concurrent attempts cannot pass the limit.
   * @param lockedOut called once per window, when a source has to wait from now on
   * @throws ServiceError `rate_limit_exceeded` when the source has to wait
   */
  async begin(email: string, source: AttemptSource, lockedOut: () => void): Promise<Attempt> {
    const counted = await this.transactions.run(async (tx) => {
      await tx.query(`DELETE FROM sessions.attempt WHERE subject IN (
        SELECT subject FROM sessions.attempt WHERE since < now() - ${WINDOW} LIMIT 20 FOR UPDATE SKIP LOCKED)`);
      const counters = await this.#countersOf(tx, email, source);
      const failures: number[] = [];
      for (const counter of counters) failures.push(await this.#count(tx, email, counter));
      return counters.map(({ max }, i) => ({ max, failures: failures[i] ?? 0 }));
    });
    if (counted.some(({ max, failures }) => failures === max + 1)) lockedOut();
    if (counted.some(({ max, failures }) => failures > max)) {
      throw new ServiceError('rate_limit_exceeded', 'Too many failed sign-ins with this address; try again in 15 minutes.', {
        retryAfterS: 30,
      });
    }
    // Known sources have one counter, others two.
    return { isFirst: counted[0]?.failures === 1, isKnown: counted.length === 1 };
  }

  /** Resets the counter of a source after its attempt succeeded. The counters of other sources stay. */
  async clear(tx: Tx, email: string, source: AttemptSource): Promise<void> {
    const [own] = await this.#countersOf(tx, email, source);
    if (own) await tx.query(`DELETE FROM sessions.attempt WHERE subject = $1`, [own.subject]);
  }

  /** Resets all counters of an address. */
  async clearAll(tx: Tx, email: string): Promise<void> {
    await tx.query(`DELETE FROM sessions.attempt WHERE email = $1`, [hashOf(email)]);
  }

  /** Stores a browser that signed in; beyond 20 of one person, those that were used longest ago are deleted. */
  async rememberBrowser(tx: Tx, user: number, token: string): Promise<void> {
    await tx.query(
      `INSERT INTO sessions.browser (hash, user_id) VALUES ($1, $2) ON CONFLICT (hash) DO UPDATE SET user_id = $2, used_at = now()`,
      [hashOf(token), user],
    );
    await tx.query(
      `DELETE FROM sessions.browser WHERE hash IN (
         SELECT hash FROM sessions.browser WHERE user_id = $1 ORDER BY used_at DESC OFFSET ${BROWSERS_MAX})`,
      [user],
    );
  }

  /** The source's own counter first. Unknown sources share a second counter, that of the address, which does not limit known ones. */
  async #countersOf(tx: Tx, email: string, { origin, browser, session }: AttemptSource): Promise<Counter[]> {
    const own = (kind: string, of: string): Counter => ({ subject: hashOf(`${kind}\n${email}\n${of}`), max: FAILURES_MAX });
    if (session !== undefined) return [own('session', session)];
    if (browser !== undefined && (await this.#isKnown(tx, email, browser))) return [own('browser', browser)];
    return [own('network', networkOf(origin.address)), { subject: hashOf(`address\n${email}`), max: ADDRESS_FAILURES_MAX }];
  }

  async #isKnown(tx: Tx, email: string, browser: string): Promise<boolean> {
    const rows = await tx.query<unknown[]>(
      `SELECT 1 FROM sessions.browser b JOIN people.person p ON p.id = b.user_id
         WHERE b.hash = $1 AND p.email = $2 AND b.used_at > now() - ${BROWSER_LIFE}`,
      [hashOf(browser), email],
    );
    return rows.length > 0;
  }

  async #count(tx: Tx, email: string, { subject, max }: Counter): Promise<number> {
    const [row] = await tx.query<{ failures: number }[]>(
      `INSERT INTO sessions.attempt AS a (subject, failures, since, email) VALUES ($1, 1, now(), $3)
       ON CONFLICT (subject) DO UPDATE SET
         failures = CASE WHEN a.since < now() - ${WINDOW} THEN 1 ELSE least(a.failures + 1, $2) END,
         since = CASE WHEN a.since < now() - ${WINDOW} THEN now() ELSE a.since END
       RETURNING failures`,
      // `max + 1` is reached once per window, by the attempt that locks the source out; later attempts stay at `max + 2`.
      [subject, max + 2, hashOf(email)],
    );
    return row?.failures ?? 0;
  }
}

/** Nonces of sign-ins that were begun at an identity provider, stored as hashes. */
@Injectable()
export class SignInNoncesRepository {
  /** Stores a nonce, and deletes some that have expired. */
  async insert(tx: Tx, nonce: string, expiresAt: Date): Promise<void> {
    await tx.query(
      `DELETE FROM sessions.sign_in_attempt WHERE nonce_hash IN
         (SELECT nonce_hash FROM sessions.sign_in_attempt WHERE expires_at < now() LIMIT $1 FOR UPDATE SKIP LOCKED)`,
      [SWEPT_NONCES],
    );
    await tx.query(`INSERT INTO sessions.sign_in_attempt (nonce_hash, expires_at) VALUES ($1, $2)`, [hashOf(nonce), expiresAt]);
  }

  /** True once for each stored nonce that has not expired. */
  async take(tx: Tx, nonce: string): Promise<boolean> {
    const [rows] = await tx.query<[{ expires_at: Date }[], number]>(
      `DELETE FROM sessions.sign_in_attempt WHERE nonce_hash = $1 RETURNING expires_at`,
      [hashOf(nonce)],
    );
    const [row] = rows;
    return row !== undefined && row.expires_at.getTime() > Date.now();
  }
}

/** The network of an address: /24 of IPv4, /56 of IPv6; all other texts count as one network. */
export function networkOf(address = ''): string {
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, '').replace(/%.*$/, '');
  if (isIPv4(plain)) return plain.split('.').slice(0, 3).join('.');
  if (!isIPv6(plain)) return 'unknown';
  const [head = '', tail] = plain.split('::');
  const groups = head === '' ? [] : head.split(':');
  const behind = tail === undefined || tail === '' ? [] : tail.split(':');
  const whole =
    tail === undefined ? groups : [...groups, ...Array.from({ length: 8 - groups.length - behind.length }, () => '0'), ...behind];
  const bits = whole.slice(0, 4).map((group) => group.padStart(4, '0').toLowerCase());
  return bits.join('').slice(0, 14);
}
