import type { AccountId, KeyId, Limits } from '@slipway/contracts';

/** The account whose MCP key a request brought. */
export interface McpCaller {
  readonly key: KeyId;
  readonly account: AccountId;
  readonly slug: string;
  readonly limits: Limits;
  /** For calls on its behalf. */
  readonly proof: string;
}
