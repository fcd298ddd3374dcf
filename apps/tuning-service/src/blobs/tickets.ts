import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { AccountId } from '@slipway/contracts';
import { Transactions } from '@slipway/database';
import { z } from 'zod';
import { InstallationSecrets } from './installation-secrets.js';

/** Longest life of a ticket, in seconds. */
const LIFE_S = 3_600;
/** Of tickets for uploads, which live as long as the upload. */
const UPLOAD_LIFE_S = 86_400;

/** What a ticket opens: reading, writing or saving one blob, or adding bytes to one upload. */
const Claims = z.tuple([
  z.enum(['read', 'write', 'upload', 'save']),
  AccountId,
  /** SHA-256 of the blob, or id of the upload. */
  z.string(),
  /** Bytes of the blob that is written; 0 = not bound. */
  z.int(),
  /** Expiry in seconds since the epoch. */
  z.int(),
  /** Name of the saved file. */
  z.string(),
  z.string(),
]);
type Claims = z.infer<typeof Claims>;

/** A ticket to make, or one that was verified. */
export interface TicketClaims {
  readonly verb: Claims[0];
  readonly account: AccountId;
  readonly subject: string;
  readonly bytes: number;
  readonly name: string;
}

/** A verified ticket. */
export interface GoodTicket extends TicketClaims {
  /** Differs for each ticket. */
  readonly id: string;
  readonly expiresAt: Date;
}

/** Makes and verifies tickets: HMACs over what they open. Who has one needs no other credential, so none is ever logged. */
@Injectable()
export class Tickets {
  constructor(
    private readonly secrets: InstallationSecrets,
    private readonly transactions: Transactions,
  ) {}

  async issue(claims: TicketClaims): Promise<{ ticket: string; expiresAt: Date }> {
    const { verb, account, subject, bytes, name } = claims;
    const expiry = Math.floor(Date.now() / 1_000) + (verb === 'upload' ? UPLOAD_LIFE_S : LIFE_S);
    const listed: Claims = [verb, account, subject, bytes, expiry, name, randomBytes(9).toString('base64url')];
    const payload = Buffer.from(JSON.stringify(listed)).toString('base64url');
    return { ticket: `${payload}.${await this.#mac(payload)}`, expiresAt: new Date(expiry * 1_000) };
  }

  /** Null for every ticket that is not good, whatever is wrong with it. */
  async verify(ticket: string, verb: TicketClaims['verb']): Promise<GoodTicket | null> {
    const [payload = '', mac = ''] = ticket.split('.');
    const [given, wanted] = [Buffer.from(mac), Buffer.from(await this.#mac(payload))];
    if (given.length !== wanted.length || !timingSafeEqual(given, wanted)) return null;
    const read = Claims.safeParse(JSON.parse(Buffer.from(payload, 'base64url').toString()));
    if (!read.success) return null;
    const [own, account, subject, bytes, expiry, name, id] = read.data;
    const expiresAt = new Date(expiry * 1_000);
    return own === verb && expiresAt.getTime() > Date.now() ? { verb, account, subject, bytes, name, id, expiresAt } : null;
  }

  /** Marks a ticket as used; false when it was used before. */
  async use({ id, expiresAt }: GoodTicket): Promise<boolean> {
    const used = `INSERT INTO used_ticket (id, expires_at) VALUES ($1, $2) ON CONFLICT DO NOTHING RETURNING id`;
    return (await this.transactions.run((tx) => tx.query<unknown[]>(used, [id, expiresAt]))).length > 0;
  }

  /** Forgets used tickets that have expired. */
  async forgetExpired(): Promise<void> {
    await this.transactions.read((connection) => connection.query(`DELETE FROM used_ticket WHERE expires_at < now()`));
  }

  async #mac(payload: string): Promise<string> {
    return createHmac('sha256', await this.secrets.signing())
      .update(payload)
      .digest('base64url');
  }
}
