import { Injectable } from '@nestjs/common';
import { type AccountId, type Actor, EVALUATION_KEY_LIFE_S } from '@slipway/contracts';
import { AuditLog, Transactions } from '@slipway/database';
import { KeyFeedChanges } from '../shared/key-feed.repository.js';
import { KeyMint } from '../shared/key-minting.js';
import { Authority } from './authority.service.js';
import type { PlaygroundKey } from './playground.service.js';
import { type KeyGrant, ShortLivedKeysRepository } from './short-lived-keys.repository.js';

/** Issues the keys with which tuning-service calls the gateway for evaluations of an account. */
@Injectable()
export class EvaluationKeys {
  constructor(
    private readonly transactions: Transactions,
    private readonly authority: Authority,
    private readonly keys: ShortLivedKeysRepository,
    private readonly mint: KeyMint,
    private readonly feed: KeyFeedChanges,
    private readonly audit: AuditLog,
  ) {}

  /**
   * Prolongs the key that was sent, or issues a new one and waits for the gateways, 1 s at most.
   * @throws ServiceError `account_not_found`
   */
  async open(account: AccountId, value: string | undefined, actor: Actor | undefined): Promise<PlaygroundKey> {
    const { ticket, ...opened } = await this.transactions.run(async (tx) => {
      await this.authority.lockAccount(tx, account);
      const grant: KeyGrant = { kind: 'evaluation', account, expiresAt: new Date(Date.now() + EVALUATION_KEY_LIFE_S * 1_000) };
      const prolonged = value === undefined ? null : await this.keys.prolong(tx, grant, this.mint.macsOf(value));
      if (prolonged) return { key: prolonged, value: null, ticket: await this.feed.putKey(tx, prolonged) };
      const minted = this.mint.mint('dep');
      const key = await this.keys.create(tx, grant, minted.stored);
      await this.audit.record(tx, { account, actor, action: 'evaluation.open_key', object: `key:${key.id}`, objectName: key.name });
      return { key, value: minted.value, ticket: await this.feed.putKey(tx, key) };
    });
    if (opened.value !== null) await this.feed.propagation(ticket);
    return opened;
  }
}
