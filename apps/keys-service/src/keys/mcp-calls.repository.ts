import { Injectable } from '@nestjs/common';
import type { AccountId, KeyId, McpCall } from '@slipway/contracts';
import type { Tx } from '@slipway/database';

/** Ignores a number that is not the account's MCP key. */
const INSERT = `
  INSERT INTO keys.mcp_call (key_id, at, tool, access, outcome, ms, client)
  SELECT k.id, c.at, c.tool, c.access, c.outcome, c.ms, c.client
  FROM keys.key k,
    jsonb_to_recordset($3) AS c (at timestamptz, tool text, access text, outcome text, ms integer, client text)
  WHERE k.id = $1 AND k.account_id = $2 AND k.kind = 'mcp'`;

const TRIM = `
  DELETE FROM keys.mcp_call WHERE id IN (
    SELECT id FROM keys.mcp_call WHERE key_id = $1 ORDER BY at DESC, id DESC OFFSET $2)`;

const LIST = `
  SELECT c.at, c.tool, c.access, c.outcome, c.ms, c.client
  FROM keys.mcp_call c JOIN keys.key k ON k.id = c.key_id
  WHERE k.account_id = $1 AND k.kind = 'mcp' ORDER BY c.at DESC, c.id DESC LIMIT $2`;

type Row = Omit<McpCall, 'at'> & { readonly at: Date };

/** Rows of calls of MCP tools. */
@Injectable()
export class McpCallsRepository {
  async insert(tx: Tx, { account, key, calls }: { account: AccountId; key: KeyId; calls: readonly McpCall[] }): Promise<void> {
    await tx.query(INSERT, [key, account, JSON.stringify(calls)]);
  }

  /** Deletes all but the newest calls of a key. */
  async trim(tx: Tx, key: KeyId, kept: number): Promise<void> {
    await tx.query(TRIM, [key, kept]);
  }

  /** Calls of an account's MCP key, newest first. */
  async list(tx: Tx, account: AccountId, limit: number): Promise<McpCall[]> {
    const rows = await tx.query<Row[]>(LIST, [account, limit]);
    return rows.map((row) => ({ ...row, at: row.at.toISOString() }));
  }
}
