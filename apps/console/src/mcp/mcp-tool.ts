import type { Actor } from '@slipway/contracts';
import type { RpcClient } from '@slipway/platform';
import type { z } from 'zod';
import type { McpCaller } from './mcp-caller.js';

/** Where things are, as people and programs outside call them; without a slash at the end. */
export interface McpAddresses {
  /** The inference API. */
  readonly gatewayUrl: string;
  readonly consoleUrl: string;
  readonly environment: string;
}

/** What a tool works with during one call. */
export interface ToolCall {
  readonly rpc: Pick<RpcClient, 'call'>;
  readonly caller: McpCaller;
  /** Who asks, for the audit log: the key, and the client that used it. */
  readonly actor: Actor;
  readonly addresses: McpAddresses;
}

/** What a client may assume of a call before it makes it. */
export interface ToolHints {
  /** It changes nothing. */
  readonly isReadOnly: boolean;
  /** It may take something away from somebody. */
  readonly isDestructive: boolean;
  /** The same call again changes nothing more. */
  readonly isIdempotent: boolean;
}

export const READS: ToolHints = { isReadOnly: true, isDestructive: false, isIdempotent: true };

/** One tool: how it is announced, and what it does. */
export interface McpTool<I extends z.ZodObject = z.ZodObject, O extends z.ZodObject = z.ZodObject> {
  readonly name: string;
  readonly title: string;
  /** What it is for and what to call next, for the model that chooses. */
  readonly description: string;
  readonly hints: ToolHints;
  readonly input: I;
  /** Absent fields are left out, never null. Holds no secret. */
  readonly output: O;
  /** @throws ServiceError that says what to do */
  run(input: z.output<I>, call: ToolCall): Promise<z.input<O>>;
}

/** Declares a tool; its schemas type its work. */
export const defineTool = <I extends z.ZodObject, O extends z.ZodObject>(tool: McpTool<I, O>): McpTool<I, O> => Object.freeze(tool);
