/** A call of a tool. */
export interface CanonicalCall {
  readonly id: string | null;
  readonly name: string;
  /** JSON of the arguments, an object, compact, with numbers and order of keys as they were uploaded. */
  readonly arguments: string;
}

/** Roles of canonical messages. */
export type Role = 'system' | 'user' | 'assistant' | 'tool';

/** One message of a canonical example. */
export interface CanonicalMessage {
  readonly role: Role;
  readonly content: string;
  readonly name: string | null;
  readonly reasoning: string | null;
  readonly calls: readonly CanonicalCall[];
  /** The call that a tool message answers. */
  readonly callId: string | null;
  /** False = an assistant message with weight 0, which is context only. */
  readonly learned: boolean;
}

/** What an example offers to call. */
export interface Offer {
  /** JSON of each tool, compact, as it was uploaded. */
  readonly tools: readonly string[];
  readonly parallelToolCalls: boolean | null;
}

/** A conversation to learn from. */
export interface ChatExample extends Offer {
  readonly kind: 'sft';
  readonly messages: readonly CanonicalMessage[];
}

/** A prompt with a better and a worse answer. */
export interface PreferenceExample extends Offer {
  readonly kind: 'preference';
  readonly prompt: readonly CanonicalMessage[];
  readonly chosen: readonly CanonicalMessage[];
  readonly rejected: readonly CanonicalMessage[];
}

/** An example as training reads it. */
export type CanonicalExample = ChatExample | PreferenceExample;

/** A JSON object. */
export type JsonObject = Readonly<Record<string, unknown>>;

export const isObject = (value: unknown): value is JsonObject => typeof value === 'object' && value !== null && !Array.isArray(value);
