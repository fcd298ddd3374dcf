import { Injectable } from '@nestjs/common';
import { type AccountId, type KeyId, MCP_CALLS_KEPT, type McpCall } from '@slipway/contracts';
import { Transactions, type Tx } from '@slipway/database';
import { Authority } from '../identity/authority.service.js';
import { McpCallsRepository } from './mcp-calls.repository.js';

/** The last calls of MCP tools, which the console reports after the fact. */
@Injectable()
export class McpCallsService {
  constructor(
    private readonly transactions: Transactions,
    private readonly authority: Authority,
    private readonly calls: McpCallsRepository,
  ) {}

  /** Stores calls of an account's MCP key and deletes all but the newest 200. Any other key is ignored. */
  async record(account: AccountId, key: KeyId, calls: readonly McpCall[]): Promise<void> {
    const store = async (tx: Tx): Promise<void> => {
      await this.calls.insert(tx, { account, key, calls });
      await this.calls.trim(tx, key, MCP_CALLS_KEPT);
    };
    await this.transactions.run(store);
  }

  /** The calls that are kept, newest first. @throws ServiceError `account_not_found` */
  list(account: AccountId): Promise<McpCall[]> {
    return this.transactions.read(async (connection) => {
      await this.authority.requireAccount(connection, account);
      return this.calls.list(connection, account, MCP_CALLS_KEPT);
    });
  }
}
