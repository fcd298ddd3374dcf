/** Weights take their file's size, and compute buffers and fragmentation about a fifth of it. */
const WEIGHTS_FACTOR = 1.2;
/**
 * Bytes of the key-value cache per token, as a share of the file. Four-bit models with grouped-query
 * attention lie near it (8 B parameters: 4.9 GB and 128 KiB per token); older ones need up to four times as much.
 */
const FILE_BYTES_PER_KV_BYTE = 32_768;
const MIN_KV_BYTES_PER_TOKEN = 4_096;
/** Tokens per sequence that are reserved when neither the owner nor an agent named a context. */
const ASSUMED_CONTEXT = 4_096;

export interface ModelSize {
  readonly fileBytes: number;
  /** Tokens per sequence; null = the model's own. */
  readonly context: number | null;
  /** Sequences held at once. */
  readonly slots: number;
}

/** Bytes that a llama.cpp model will take: weights and the key-value cache of all its slots. */
export function memoryNeed({ fileBytes, context, slots }: ModelSize): number {
  const perToken = Math.max(MIN_KV_BYTES_PER_TOKEN, fileBytes / FILE_BYTES_PER_KV_BYTE);
  return Math.ceil(fileBytes * WEIGHTS_FACTOR + perToken * (context ?? ASSUMED_CONTEXT) * slots);
}
