import { performance } from 'node:perf_hooks';
import type { LlamaContextSequence, Token } from 'node-llama-cpp';
import type { BatchGate } from './batch-gate.js';
import { priorityOf } from './batch-order.js';

/** Target duration of a chunk: a longer one delays aborts and the other sequences of the batch. */
const TARGET_CHUNK_MS = 150;
const SMALLEST_CHUNK = 8;
/** Most tokens of one sequence that are evaluated at once. */
export const LARGEST_CHUNK = 128;

/**
 * Chooses how many prompt tokens are evaluated at once. A running evaluation cannot be aborted, so its duration bounds the delay of
 * an abort. The speed of the last chunks gives the size of the next one.
 */
export class PrefillPacer {
  #msPerToken: number | null = null;

  /** Tokens of the next chunk; few before the first measurement. */
  next(): number {
    if (this.#msPerToken === null) return SMALLEST_CHUNK * 2;
    const fitting = Math.floor(TARGET_CHUNK_MS / this.#msPerToken);
    return Math.min(LARGEST_CHUNK, Math.max(SMALLEST_CHUNK, fitting));
  }

  took(tokens: number, ms: number): void {
    const measured = Math.max(ms / tokens, 0.001);
    // A slower chunk counts at once, a faster one by half: one quick chunk must not lead to one that takes seconds.
    this.#msPerToken = this.#msPerToken === null ? measured : Math.max(measured, (this.#msPerToken + measured) / 2);
  }
}

/** Outcome of a prefill. */
export interface PrefillResult {
  /** Prompt tokens that the sequence still had from an earlier request. */
  readonly cached: number;
  /** Prompt tokens in the sequence now, without the prompt's last one. */
  readonly done: number;
}

/** Number of tokens shared at the front. */
export function commonPrefix(a: readonly Token[], b: readonly Token[]): number {
  const end = Math.min(a.length, b.length);
  let i = 0;
  while (i < end && a[i] === b[i]) i += 1;
  return i;
}

/** Shared parts of all prefills of a context. */
export interface PrefillTools {
  readonly pacer: PrefillPacer;
  readonly gate: BatchGate;
}

/** Removes tokens from a sequence that are not part of the prompt. */
async function adapt(sequence: LlamaContextSequence, head: Token[], gate: BatchGate): Promise<void> {
  const held = sequence.contextTokens;
  if (commonPrefix(held, head) === held.length) return;
  await gate.change(() => sequence.adaptStateToTokens(head, false));
}

/**
 * Evaluates a prompt except its last token, reusing the tokens that the sequence already has. The last token is left because
 * generation must evaluate at least one. Stops between two chunks once `stopped` returns true.
 */
export async function prefill(
  sequence: LlamaContextSequence,
  prompt: readonly Token[],
  { pacer, gate }: PrefillTools,
  stopped: () => boolean,
): Promise<PrefillResult> {
  const head = prompt.slice(0, -1);
  await adapt(sequence, head, gate);
  const cached = sequence.nextTokenIndex;
  let done = cached;
  while (done < head.length && !stopped()) {
    const chunk = head.slice(done, done + pacer.next());
    await gate.step(chunk.length, async () => {
      const start = performance.now();
      await sequence.evaluateWithoutGeneratingNewTokens(chunk, { evaluationPriority: priorityOf(sequence) });
      pacer.took(chunk.length, performance.now() - start);
    });
    done += chunk.length;
  }
  return { cached, done };
}
