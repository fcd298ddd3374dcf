import type { MembershipView } from '../identity/people.js';

/** `GET /api/me`: who is signed in, and where. Private to the dashboard, like all types here. */
export interface ConsoleMe {
  readonly id: number;
  readonly email: string;
  /** Empty = they gave none. */
  readonly name: string;
  /** False for a person who signs in by an identity provider only. */
  readonly has_password: boolean;
  readonly memberships: readonly MembershipView[];
  readonly session: string;
  /** The account that the session works in, and the role in it. */
  readonly account: number;
  readonly role: 'owner' | 'member' | 'viewer';
  /** Name of the environment; keys are valid in one environment only. */
  readonly environment: string;
  /** Base address of the inference API, without a path. */
  readonly gateway_url: string;
  /** Release of the console. */
  readonly version: string;
}

/** `GET /api/addresses`: what the dashboard shows in examples. */
export type ConsoleAddresses = Pick<ConsoleMe, 'gateway_url' | 'environment' | 'version'>;

/** `GET /api/status`: which parts answer the console. Known for five seconds at most. */
export interface ConsoleStatus {
  readonly at: string;
  readonly nats: boolean;
  readonly keys: boolean;
  readonly deployments: boolean;
  /** At least one gateway answers at the address that the playground uses. */
  readonly gateways: boolean;
}

/** `GET /api/set-up`, before sign-in: whether anyone can sign in yet. */
export interface ConsoleSetup {
  readonly has_owner: boolean;
}

/** A tool of the MCP server. */
export interface ConsoleMcpTool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** `read` = it changes nothing, and the read-only address offers it too. */
  readonly access: 'read' | 'write';
  /** It may remove or end something. */
  readonly is_destructive: boolean;
}

/** `GET /api/mcp/tools`: the tools of the MCP server and its addresses. */
export interface ConsoleMcp {
  /** Address with all tools. */
  readonly url: string;
  /** Address with the reading tools only: the same key, `/readonly` at the end. */
  readonly readonly_url: string;
  readonly tools: readonly ConsoleMcpTool[];
}
