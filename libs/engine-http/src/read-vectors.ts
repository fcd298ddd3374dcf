import { isRecord, ServiceError } from '@slipway/contracts';
import { vectorText } from '@slipway/engine';

/** What an answer must hold. */
export interface WantedVectors {
  readonly texts: number;
  /** Numbers of each vector; null = any, the same for all. */
  readonly dimensions: number | null;
}

/** The vectors of a server's answer. */
export interface VectorAnswer {
  /** Contents of `vec` events, by the position of their texts. */
  readonly vectors: readonly string[];
  readonly dimensions: number;
  /** Tokens of all texts; null where the server does not count. */
  readonly tokens: number | null;
}

const broken = (): ServiceError =>
  new ServiceError('engine_error', 'The engine answered with something else than one vector for each text.');

/**
 * Reads an answer of the embeddings contract, whose vectors stand by their `index`, or of Ollama's own.
 * @throws ServiceError `engine_error` unless there is one vector for each text
 */
export function readVectors(bytes: Uint8Array, { texts, dimensions }: WantedVectors): VectorAnswer {
  const answer = recordOf(bytes);
  const found: unknown[] = [];
  for (const [place, vector] of vectorsIn(answer)) found[place] = vector;
  const size = dimensions ?? (Array.isArray(found[0]) ? found[0].length : 0);
  if (size === 0 || found.length !== texts) throw broken();
  const vectors = Array.from({ length: texts }, (_, i) => {
    const vector = found[i];
    if (!isVector(vector, size)) throw broken();
    return vectorText(vector);
  });
  return { vectors, dimensions: size, tokens: tokensOf(answer) };
}

function recordOf(bytes: Uint8Array): Record<string, unknown> {
  try {
    const answer: unknown = JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8'));
    return isRecord(answer) ? { ...answer } : {};
  } catch {
    return {};
  }
}

/** Each vector with its place. */
function vectorsIn({ data, embeddings }: Record<string, unknown>): (readonly [place: number, vector: unknown])[] {
  if (Array.isArray(embeddings)) return embeddings.map((vector, i) => [i, vector]);
  if (!Array.isArray(data)) return [];
  return data.map((entry: unknown, i) => {
    const { index = i, embedding } = isRecord(entry) ? entry : {};
    if (typeof index !== 'number' || !Number.isInteger(index) || index < 0 || index >= data.length) throw broken();
    return [index, embedding];
  });
}

const isVector = (value: unknown, size: number): value is number[] =>
  Array.isArray(value) && value.length === size && value.every((number) => typeof number === 'number');

function tokensOf({ usage, prompt_eval_count: evaluated }: Record<string, unknown>): number | null {
  const counted = isRecord(usage) ? (usage['prompt_tokens'] ?? usage['total_tokens']) : evaluated;
  return typeof counted === 'number' && Number.isSafeInteger(counted) && counted > 0 ? counted : null;
}
