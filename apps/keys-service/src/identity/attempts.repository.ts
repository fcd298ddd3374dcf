import { isIPv4, isIPv6 } from 'node:net';
import { Injectable } from '@nestjs/common';
import { type Origin, ServiceError, type SessionId } from '@slipway/contracts';
import { Transactions, type Tx } from '@slipway/database';
import { hashOf } from './link-token.js';

/** Failures within the window from one network, in one session or in one known browser, after which it has to wait. */
const FAILURES_MAX = 10;
/** Failures with one address from all networks together, after which only sessions and known browsers go on. */
const ADDRESS_FAILURES_MAX = 50;
const WINDOW = `interval '15 minutes'`;
/** How long a browser counts as known after its last sign-in. */
const BROWSER_LIFE = `interval '180 days'`;
/** Browsers of one person that are known at a time. */
const BROWSERS_MAX = 20;

/** Where a password is tried from. */
export interface AttemptPlace {
  readonly origin: Origin;
  /** What an earlier sign-in gave this browser. */
  readonly browser?: string | undefined;
  /** Signed in already, and asked for the password again. */
  readonly session?: SessionId | undefined;
}

/** An attempt that was counted. */
export interface Attempt {
  /** The first of its place in the window. */
  readonly isFirst: boolean;
  /** From a session, or from a browser that signed in before with the address. */
  readonly isKnown: boolean;
}

interface Counter {
  readonly subject: Buffer;
  readonly max: number;
}

/**
 * Counts failed sign-ins by address and network, for all replicas and for known addresses and others alike. So somebody
 * elsewhere who tries passwords locks out nobody but their own network. What is counted is a hash: mistyped addresses may
 * hold passwords.
 */
@Injectable()
export class AttemptsRepository {
  constructor(private readonly transactions: Transactions) {}

  /**
   * Counts an attempt before its password is looked at, so that attempts at once cannot slip by.
   * @param lockedOut told once per window when a place has to wait from now on
   * @throws ServiceError `rate_limit_exceeded` when the place has to wait
   */
  async begin(email: string, place: AttemptPlace, lockedOut: () => void): Promise<Attempt> {
    const counted = await this.transactions.run(async (tx) => {
      await tx.query(`DELETE FROM sessions.attempt WHERE subject IN (
        SELECT subject FROM sessions.attempt WHERE since < now() - ${WINDOW} LIMIT 20 FOR UPDATE SKIP LOCKED)`);
      const counters = await this.#countersOf(tx, email, place);
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
    // Those who are known have one counter.
    return { isFirst: counted[0]?.failures === 1, isKnown: counted.length === 1 };
  }

  /** The attempt succeeded: what its own place counted is over. What other networks try counts on. */
  async clear(tx: Tx, email: string, place: AttemptPlace): Promise<void> {
    const [own] = await this.#countersOf(tx, email, place);
    if (own) await tx.query(`DELETE FROM sessions.attempt WHERE subject = $1`, [own.subject]);
  }

  /** Nothing counts any more, wherever it came from. */
  async clearAll(tx: Tx, email: string): Promise<void> {
    await tx.query(`DELETE FROM sessions.attempt WHERE email = $1`, [hashOf(email)]);
  }

  /** Remembers a browser that signed in, in place of the person's longest unused one where there are many. */
  async remember(tx: Tx, user: number, token: string): Promise<void> {
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

  /** The place's own counter first; an address has one over all networks besides, which stops no known browser. */
  async #countersOf(tx: Tx, email: string, { origin, browser, session }: AttemptPlace): Promise<Counter[]> {
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
      // One beyond the bound is where the wait begins; later ones are told apart from it.
      [subject, max + 2, hashOf(email)],
    );
    return row?.failures ?? 0;
  }
}

/** The network that an address belongs to: /24 of IPv4, /56 of IPv6; anything else is one network. */
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
