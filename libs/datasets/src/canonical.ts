/** A call of a tool. `arguments` is a parsed object; `argumentsText` is its JSON with numbers and keys exactly as uploaded. */
export interface CanonicalCall {
  readonly id: string | null;
  readonly name: string;
  readonly arguments: Record<string, unknown>;
  readonly argumentsText: string;
}

/** One message of a canonical example. */
export interface CanonicalMessage {
  readonly role: 'system' | 'user' | 'assistant' | 'tool';
  readonly content: string;
  readonly name: string | null;
  readonly reasoning: string | null;
  readonly calls: readonly CanonicalCall[];
  readonly callId: string | null;
  /** False = an assistant message with weight 0, which is context only. */
  readonly learned: boolean;
}

interface WithTools {
  /** Offered tools as they were uploaded; empty = none. */
  readonly tools: readonly unknown[];
  readonly parallelToolCalls: boolean | null;
  /** Hash of all before the last assistant message: what `isHeldOut` takes. */
  readonly promptHash: bigint;
  /** Hash of the whole example. */
  readonly hash: bigint;
}

/** A conversation to learn from. */
export interface ChatExample extends WithTools {
  readonly kind: 'sft';
  readonly messages: readonly CanonicalMessage[];
}

/** A prompt with a better and a worse answer. */
export interface PreferenceExample extends WithTools {
  readonly kind: 'preference';
  readonly prompt: readonly CanonicalMessage[];
  readonly chosen: readonly CanonicalMessage[];
  readonly rejected: readonly CanonicalMessage[];
}

/** An example as training reads it. */
export type CanonicalExample = ChatExample | PreferenceExample;

/**
 * Reads one line of a canonical file.
 * @throws {TypeError} when the line is not canonical
 */
export function readExample(line: string): CanonicalExample {
  throw new TypeError(`not built: ${line.length}`);
}
