import type { CanonicalRequest } from '@slipway/contracts';

/** The smallest request. */
export const FIRST_REQUEST: CanonicalRequest = {
  messages: [{ role: 'user', content: [{ type: 'text', text: 'Hello' }] }],
  sampling: { temperature: 0 },
  stop: [],
  max_tokens: 1,
};

/** Of the longest prompt that is tried, and answers that are computed together. */
const PROMPT_WORDS = 200;
const BATCHES = [2, 3, 4, 5, 6, 7, 8, 32];

/** A model that answers. */
export interface AnsweringModel {
  readonly generate: (request: CanonicalRequest) => Promise<unknown>;
  readonly slots: number;
  /** Tokens that prompt and answer share. */
  readonly context: number;
}

/**
 * Computes batches of many sizes on a GPU, after a first request. A driver compiles each kernel at its first use where the library has
 * none for its GPU, and there are others for a prompt and for each small number of answers: measured on an H200, 36 s for the first
 * token of all, 8 to 15 s for the first of other sizes, together up to a minute and a half. They are kept in `CUDA_CACHE_PATH`.
 * @param onProgress called before each size with 0 to 1, so that compiling does not look like a load that is stuck
 * @throws what the model throws, and the reason of `signal`
 */
export async function compileKernels(model: AnsweringModel, onProgress: (progress: number) => void, signal: AbortSignal): Promise<void> {
  const words = Math.min(PROMPT_WORDS, Math.floor(model.context / 8));
  const long = [{ role: 'user' as const, content: [{ type: 'text' as const, text: 'Hello '.repeat(words) }] }];
  const steps = BATCHES.length + 2;
  onProgress(1 / steps);
  await model.generate({ ...FIRST_REQUEST, messages: long });
  for (const [at, size] of BATCHES.entries()) {
    signal.throwIfAborted();
    onProgress((at + 2) / steps);
    const answers = Math.min(size, model.slots);
    await Promise.all(Array.from({ length: answers }, () => model.generate({ ...FIRST_REQUEST, max_tokens: 3 })));
    if (answers < size) return;
  }
}
