import { Injectable } from '@nestjs/common';
import { AccountId, KeyId, Limits } from '@slipway/contracts';
import type { Tx } from '@slipway/database';

/** A live MCP key with the account that it opens. */
export interface OpeningKey {
  readonly key: KeyId;
  readonly account: AccountId;
  readonly slug: string;
  /** Of the account. */
  readonly limits: Limits;
  readonly mac: Buffer;
}

const QUERY = `
  SELECT k.id, k.account_id, k.mac, a.slug, a.limits
  FROM keys.key k JOIN accounts.account a ON a.id = k.account_id
  WHERE k.mac = ANY($1) AND k.kind = 'mcp' AND k.state = 'active' AND a.state = 'active'`;

/** The one question about keys that names no account: which account a key belongs to. */
@Injectable()
export class McpKeyOpeningRepository {
  /** All live MCP keys that have one of these MACs. */
  async find(connection: Tx, macs: readonly Buffer[]): Promise<OpeningKey[]> {
    const rows = await connection.query<{ id: number; account_id: number; mac: Buffer; slug: string; limits: Limits }[]>(QUERY, [macs]);
    return rows.map(({ id, account_id: account, ...row }) => ({ ...row, key: KeyId.parse(id), account: AccountId.parse(account) }));
  }
}
