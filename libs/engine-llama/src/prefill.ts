import { performance } from 'node:perf_hooks';
import type { LlamaContextSequence, Token } from 'node-llama-cpp';
import type { BatchGate } from './batch-gate.js';

/** A chunk that takes longer delays aborts and starves the other sequences of the batch. */
const TARGET_CHUNK_MS = 150;
const SMALLEST_CHUNK = 8;
const LARGEST_CHUNK = 128;

/**
 * Chooses how many prompt tokens are evaluated at once. A running evaluation cannot be aborted, so its length
 * is the delay of an abort; the pace of the last chunk tells how many tokens fit.
 */
export class PrefillPacer {
  #msPerToken: number | null = null;

  /** Tokens of the next chunk; before anything was measured, few. */
  next(): number {
    if (this.#msPerToken === null) return SMALLEST_CHUNK * 2;
    const fitting = Math.floor(TARGET_CHUNK_MS / this.#msPerToken);
    return Math.min(LARGEST_CHUNK, Math.max(SMALLEST_CHUNK, fitting));
  }

  took(tokens: number, ms: number): void {
    const measured = Math.max(ms / tokens, 0.001);
    // Slower counts at once, faster only by halves: a lone quick chunk must not lead to one that takes seconds.
    this.#msPerToken = this.#msPerToken === null ? measured : Math.max(measured, (this.#msPerToken + measured) / 2);
  }
}

export interface PrefillResult {
  /** Prompt tokens that the sequence still held from an earlier request. */
  readonly cached: number;
  /** Prompt tokens in the sequence now. The last one of the prompt is left to the first generated token. */
  readonly done: number;
}

/** Tokens at the front that both lists share. */
export function commonPrefix(a: readonly Token[], b: readonly Token[]): number {
  const end = Math.min(a.length, b.length);
  let i = 0;
  while (i < end && a[i] === b[i]) i += 1;
  return i;
}

export interface PrefillTools {
  readonly pacer: PrefillPacer;
  readonly gate: BatchGate;
}

/** Makes a sequence forget what is not part of the prompt. */
async function adapt(sequence: LlamaContextSequence, head: Token[], gate: BatchGate): Promise<void> {
  const held = sequence.contextTokens;
  if (commonPrefix(held, head) === held.length) return;
  await gate.change(() => sequence.adaptStateToTokens(head, false));
}

/**
 * Brings a sequence to all but the last token of a prompt, keeping what it already holds of it. Generation must
 * evaluate at least one token, hence the last one stays out. Stops between chunks once `stopped` says so.
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
    await gate.pass();
    const chunk = head.slice(done, done + pacer.next());
    const start = performance.now();
    await sequence.evaluateWithoutGeneratingNewTokens(chunk);
    pacer.took(chunk.length, performance.now() - start);
    done += chunk.length;
  }
  return { cached, done };
}
