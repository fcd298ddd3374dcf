import { Injectable } from '@nestjs/common';
import { type AccountId, type Actor, ServiceError } from '@slipway/contracts';
import { Transactions } from '@slipway/database';
import { KeyChanges, type ObeyedChange } from './key-changes.service.js';
import { KeyMint } from './key-minting.js';
import { KeysRepository, type StoredKey } from './keys.repository.js';

const NAME = 'MCP';

/** The one MCP key of an account: made once, then replaced by rotation alone. */
@Injectable()
export class McpKeysService {
  constructor(
    private readonly transactions: Transactions,
    private readonly keys: KeysRepository,
    private readonly mint: KeyMint,
    private readonly changes: KeyChanges,
  ) {}

  /** Of calls at once, in all replicas, one gets it. */
  async create(account: AccountId, actor?: Actor): Promise<{ value: string; key: StoredKey }> {
    const { value, stored } = this.mint.mint('mcp');
    const key = await this.changes.create({ account, name: NAME, expiresAt: null, stored }, { actor, action: 'mcp_key.create' });
    if (key === null) throw new ServiceError('mcp_key_exists', 'This account has its MCP key already; rotate it to get another value.');
    return { value, key };
  }

  find(account: AccountId): Promise<StoredKey | null> {
    return this.transactions.read(async (connection) => {
      await this.changes.requireAccount(connection, account);
      return this.keys.findMcp(connection, account);
    });
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
