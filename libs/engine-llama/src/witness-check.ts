import { WITNESS_BOUND, type WitnessCheck } from '@slipway/contracts';
import { EngineLoadError } from '@slipway/engine';
import type { LlamaContextSequence, Token } from 'node-llama-cpp';
import { tokenLogprobs } from './token-logprobs.js';

/**
 * How far a replica is from its adapter: the mean difference of log probabilities over each stored answer, and the mean of these.
 * The right adapter is within 0.0015, its nearest relative was 0.082 away. Answers that do not fit into the context are left out.
 * @returns null when none fits
 */
async function witnessDistance(sequence: LlamaContextSequence, witness: readonly WitnessCheck[]): Promise<number | null> {
  const fitting = witness.filter(({ prompt, answer }) => prompt.length + answer.length <= sequence.contextSize);
  const distances: number[] = [];
  for (const { prompt, answer, logprobs } of fitting) {
    const now = await tokenLogprobs(sequence, [...prompt, ...answer] as Token[], prompt.length);
    distances.push(mean(now.map((value, i) => Math.abs(value - (logprobs[i] ?? -Infinity)))));
  }
  return distances.length > 0 ? mean(distances) : null;
}

const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;

/**
 * Whether a replica answers as the adapter did when it was made.
 * @returns the distance
 * @throws EngineLoadError `witness_failed` with the distance
 */
export async function assertWitness(sequence: LlamaContextSequence, witness: readonly WitnessCheck[]): Promise<number> {
  const distance = await witnessDistance(sequence, witness);
  if (distance === null) {
    const detail = `The context of ${sequence.contextSize} tokens holds none of the adapter's stored answers; give the deployment more.`;
    throw new EngineLoadError('witness_failed', detail);
  }
  // Not "above the bound": a distance that is no number must fail too.
  if (distance <= WITNESS_BOUND) return distance;
  const detail = `The answers of this replica are ${distance.toFixed(4)} away from those of the adapter; at most ${WITNESS_BOUND} is allowed.`;
  throw new EngineLoadError('witness_failed', detail);
}
