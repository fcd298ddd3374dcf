import { timingSafeEqual } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { type AccountId, type Actor, type KeyId, keyKindOf, type McpScope, ServiceError } from '@slipway/contracts';
import { Transactions } from '@slipway/database';
import { Authority } from '../identity/authority.service.js';
import { KeyProofs } from '../identity/key-proofs.service.js';
import type { StoredKey } from '../shared/key-feed.repository.js';
import { KeyMint } from '../shared/key-minting.js';
import { BatchedLookups } from './batched-lookups.js';
import { type IssuedKey, KeyChanges } from './key-changes.service.js';
import { KeysRepository, type McpUse, type ActiveMcpKey } from './keys.repository.js';

const NAME = 'MCP';

/** The one MCP key of an account: created once, then replaced by rotation only. */
@Injectable()
export class McpKeysService {
  readonly #lookups = new BatchedLookups((macs) => this.transactions.read((connection) => this.keys.findActiveMcp(connection, macs)));

  constructor(
    private readonly transactions: Transactions,
    private readonly keys: KeysRepository,
    private readonly mint: KeyMint,
    private readonly changes: KeyChanges,
    private readonly authority: Authority,
    private readonly proofs: KeyProofs,
  ) {}

  /**
   * Finds the account that a key opens, and signs a proof for the other services.
   * @throws ServiceError `invalid_api_key`, the same for every key that is not valid; `unavailable`
   */
  async open(value: string, scope: McpScope): Promise<Omit<ActiveMcpKey, 'mac'> & { readonly proof: string }> {
    if (keyKindOf(value) !== 'mcp') throw invalidKey();
    const macs = this.mint.macsOf(value);
    const found = await this.#lookups.find(macs);
    if (!found || !macs.some((mac) => timingSafeEqual(mac, found.mac))) throw invalidKey();
    const { mac: _mac, ...opened } = found;
    return { ...opened, proof: await this.proofs.sign({ ...opened, scope }) };
  }

  /** Of concurrent calls in all replicas, one succeeds. @throws ServiceError `mcp_key_exists` */
  async create(account: AccountId, actor?: Actor): Promise<IssuedKey> {
    const { value, stored } = this.mint.mint('mcp');
    const created = await this.changes.create({ account, name: NAME, expiresAt: null, stored }, { actor, action: 'mcp_key.create' });
    if (created === null) throw new ServiceError('mcp_key_exists', 'This account already has an MCP key; rotate it to get a new value.');
    return { value, ...created };
  }

  /** Null while the account has no MCP key; `use` is null while the key was never used. @throws ServiceError `account_not_found` */
  find(account: AccountId): Promise<{ key: StoredKey; use: McpUse | null } | null> {
    return this.transactions.read(async (connection) => {
      await this.authority.requireAccount(connection, account);
      const key = await this.keys.findMcp(connection, account);
      return key && { key, use: await this.keys.findMcpUse(connection, key.id) };
    });
  }

  /** Stores that the key was used now. @param client the name that the client gave */
  async recordUse(account: AccountId, key: KeyId, client: string | undefined): Promise<void> {
    await this.transactions.run((tx) => this.keys.recordMcpUse(tx, { account, key, client: client ?? null }));
  }

  /** Replaces the key's value; the old value is invalid from the commit on. @throws ServiceError `key_not_found`, `account_not_found` */
  async rotate(account: AccountId, actor?: Actor): Promise<IssuedKey> {
    const { value, stored } = this.mint.mint('mcp');
    const { mac, pepper, hint } = stored;
    const changed = await this.changes.change({ account, key: 'mcp' }, { mac, pepper, hint }, { actor, action: 'mcp_key.rotate' });
    return { value, ...changed };
  }
}

const invalidKey = (): ServiceError =>
  new ServiceError(
    'invalid_api_key',
    'This MCP key is not valid. It may have been rotated: copy the current one from the API Keys screen.',
  );
