import { Injectable } from '@nestjs/common';
import { type AccountId, type Actor, type KeyId, ServiceError } from '@slipway/contracts';
import { Transactions } from '@slipway/database';
import { KeyChanges, type ObeyedChange } from './key-changes.service.js';
import { KeyMint } from '../shared/key-minting.js';
import { KeysRepository, type StoredKey } from './keys.repository.js';
import { type McpUse, McpUseRepository } from './mcp-use.repository.js';

const NAME = 'MCP';

/** The one MCP key of an account: made once, then replaced by rotation alone. */
@Injectable()
export class McpKeysService {
  constructor(
    private readonly transactions: Transactions,
    private readonly keys: KeysRepository,
    private readonly mint: KeyMint,
    private readonly changes: KeyChanges,
    private readonly uses: McpUseRepository,
  ) {}

  /** Of calls at once, in all replicas, one gets it. */
  async create(account: AccountId, actor?: Actor): Promise<ObeyedChange & { readonly value: string }> {
    const { value, stored } = this.mint.mint('mcp');
    const created = await this.changes.create({ account, name: NAME, expiresAt: null, stored }, { actor, action: 'mcp_key.create' });
    if (created === null) throw new ServiceError('mcp_key_exists', 'This account has its MCP key already; rotate it to get another value.');
    return { value, ...created };
  }

  /** Null while there is none; its use is null while it has none. */
  find(account: AccountId): Promise<{ key: StoredKey; use: McpUse | null } | null> {
    return this.transactions.read(async (connection) => {
      await this.changes.requireAccount(connection, account);
      const key = await this.keys.findMcp(connection, account);
      return key && { key, use: await this.uses.find(connection, key.id) };
    });
  }

  /** Remembers that the key was used now. */
  async recordUse(account: AccountId, key: KeyId, client: string | undefined): Promise<void> {
    await this.transactions.run((tx) => this.uses.record(tx, key, account, client ?? null));
  }

  /** The old value dies in the change that makes the new one. */
  async rotate(account: AccountId, actor?: Actor): Promise<ObeyedChange & { readonly value: string }> {
    const { value, stored } = this.mint.mint('mcp');
    const { mac, pepper, hint } = stored;
    const rotated = await this.changes.change(account, { actor, action: 'mcp_key.rotate' }, async (tx) => {
      await this.changes.requireAccount(tx, account);
      const held = await this.keys.lockMcp(tx, account);
      if (held === null) throw new ServiceError('key_not_found', 'This account has no MCP key yet; create it.', { param: 'account' });
      return { held, change: { mac, pepper, hint } };
    });
    return { value, ...rotated };
  }
}
