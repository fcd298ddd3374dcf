import type { Target } from '../messages.js';
import type { ProcessTable } from '../processes/process-table.js';

/** How a request gets to the engine: a running server in front of it, or none. */
export interface Way {
  /** Its name in tables. */
  readonly name: string;
  readonly version: string;
  readonly target: Target;
  /** Every process that has a part in an answer, and those beside it. */
  processes(): ProcessTable;
  /** What it does for each request beside relaying it. */
  readonly does: readonly string[];
  /** What of Slipway's work it does not do, or is not set up for here. */
  readonly lacks: readonly string[];
  /** It offers the responses contract beside chat completions. */
  readonly hasResponses?: true;
  /** A key of the right form that it refuses; null if it checks none. */
  refusedKey(): Promise<string | null>;
}

/** Path of the responses contract. */
export const RESPONSES_PATH = '/v1/responses';
/** Path of the chat contract. */
export const CHAT_PATH = '/v1/chat/completions';

/** The engine itself, asked by the clients: what everything else adds to. */
export const directWay = (enginePort: number): Way => ({
  name: 'direct',
  version: '',
  target: { ports: [enginePort], path: CHAT_PATH, model: 'bench', key: null, keyHeader: 'x-api-key' },
  processes: () => new Map(),
  does: [],
  lacks: ['everything: the clients ask the engine itself'],
  refusedKey: () => Promise.resolve(null),
});
