import type { Actor } from '@slipway/contracts';
import type { RpcClient } from '@slipway/platform';
import type { z } from 'zod';
import type { McpCaller } from './mcp-key-check.js';

/** Public addresses, without a trailing slash. */
export interface McpAddresses {
  /** Address of the inference API. */
  readonly gatewayUrl: string;
  readonly consoleUrl: string;
  readonly environment: string;
}

/** The person behind an agent, where its client puts questions to them. */
export interface PersonBehind {
  /** What they answered to a question; null = it was not put to them yet. */
  answerTo(question: string): 'yes' | 'no' | null;
}

/** Context of one call of a tool. */
export interface ToolCall {
  readonly rpc: Pick<RpcClient, 'call'>;
  readonly caller: McpCaller;
  /** Actor for the audit log: the key, and the client that used it. */
  readonly actor: Actor;
  readonly addresses: McpAddresses;
  /** The person behind the agent; null where its client cannot ask them. */
  readonly person: PersonBehind | null;
}

/** Hints that clients read before a call. */
export interface ToolHints {
  /** It has no side effects. */
  readonly isReadOnly: boolean;
  /** It may remove or end something. */
  readonly isDestructive: boolean;
  /** A repeated call has no further effect. */
  readonly isIdempotent: boolean;
}

/** Hints of tools that only read. */
export const READS: ToolHints = { isReadOnly: true, isDestructive: false, isIdempotent: true };

/** One tool: its description for clients and its implementation. */
export interface McpTool<I extends z.ZodObject = z.ZodObject, O extends z.ZodObject = z.ZodObject> {
  readonly name: string;
  readonly title: string;
  /** Purpose and next step, for the model that chooses a tool. */
  readonly description: string;
  readonly hints: ToolHints;
  readonly input: I;
  /** Unknown fields are left out, never null. No field holds a secret. */
  readonly output: O;
  /**
   * Divides an output that contains text of other people: `text` becomes a second block that marks it as data, `shown` is the
   * output without it for the first block.
   */
  data?(output: z.output<O>): { readonly shown: object; readonly text: string };
  /** @throws ServiceError whose message says what to do */
  run(input: z.output<I>, call: ToolCall): Promise<z.input<O>>;
}

/** Declares a tool; the schemas type its `run`. */
export const defineTool = <I extends z.ZodObject, O extends z.ZodObject>(tool: McpTool<I, O>): McpTool<I, O> => Object.freeze(tool);

type Known<T> = { [K in keyof T]?: NonNullable<T[K]> };

/** Removes fields that are null or undefined, since outputs of tools hold no null. */
export const knownFields = <T extends object>(fields: T): Known<T> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null && value !== undefined)) as Known<T>;
