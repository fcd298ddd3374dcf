import { Injectable } from '@nestjs/common';
import type { AccountId, KeyId } from '@slipway/contracts';
import type { Tx } from '@slipway/database';

/** The last use of an MCP key. */
export interface McpUse {
  readonly usedAt: Date;
  /** As it named itself; null = it did not. */
  readonly client: string | null;
}

/** Only for MCP keys of the account: a number of another kind changes nothing. */
const RECORD = `
  INSERT INTO keys.mcp_use (key_id, used_at, client)
  SELECT id, now(), $3 FROM keys.key WHERE id = $1 AND account_id = $2 AND kind = 'mcp'
  ON CONFLICT (key_id) DO UPDATE SET used_at = excluded.used_at, client = excluded.client`;

@Injectable()
export class McpUseRepository {
  async record(tx: Tx, key: KeyId, account: AccountId, client: string | null): Promise<void> {
    await tx.query(RECORD, [key, account, client]);
  }

  /** Null when the key was never used. */
  async find(connection: Tx, key: KeyId): Promise<McpUse | null> {
    const [row] = await connection.query<{ used_at: Date; client: string | null }[]>(
      `SELECT used_at, client FROM keys.mcp_use WHERE key_id = $1`,
      [key],
    );
    return row ? { usedAt: row.used_at, client: row.client } : null;
  }
}
