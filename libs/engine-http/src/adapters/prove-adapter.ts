import { WITNESS_BOUND, type WitnessCheck } from '@slipway/contracts';
import { EngineLoadError } from '@slipway/engine';
import type { AdapterServer, TokenScore } from './adapter-server.js';

/** How a server's scores compare with those of the adapter. */
export interface Proof {
  /** Mean difference of log probabilities; null where the server gives none. */
  readonly distance: number | null;
  readonly answers: number;
}

export interface ProofOptions {
  readonly server: AdapterServer;
  readonly witness: readonly WitnessCheck[];
  /** Tokens per sequence; null = unknown. Longer answers are left out. */
  readonly context: number | null;
  readonly signal: AbortSignal;
}

const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;

/**
 * Has the server score the stored answers, which are the adapter's own greedy ones: it must find each of their tokens the most
 * likely, and as likely as the adapter did when it was made. The bare base, another adapter and another base do not.
 * @throws EngineLoadError `witness_failed` with the figure, and what `AdapterServer.score` throws
 */
export async function proveAdapter({ server, witness, context, signal }: ProofOptions): Promise<Proof> {
  const fitting = witness.filter(({ prompt, answer }) => context === null || prompt.length + answer.length < context);
  if (fitting.length === 0) throw failed(`The context of ${context} tokens holds none of the adapter's stored answers.`);
  const distances: number[] = [];
  for (const check of fitting) {
    const scores = await server.score(check, signal);
    assertGreedy(scores);
    distances.push(...scores.flatMap(({ logprob }, i) => (logprob === null ? [] : [Math.abs(logprob - (check.logprobs[i] ?? -Infinity))])));
  }
  const distance = distances.length === 0 ? null : mean(distances);
  // Not "above the bound": a distance that is no number must fail too.
  if (distance === null || distance <= WITNESS_BOUND) return { distance, answers: fitting.length };
  throw failed(
    `It gives the adapter's stored answers log probabilities that are ${distance.toFixed(4)} away; at most ${WITNESS_BOUND} is allowed.`,
  );
}

function assertGreedy(scores: readonly TokenScore[]): void {
  const wrong = scores.filter(({ isGreedy }) => !isGreedy).length;
  if (wrong > 0) throw failed(`It would answer otherwise at ${wrong} of ${scores.length} tokens of a stored answer.`);
}

const failed = (detail: string): EngineLoadError =>
  new EngineLoadError('witness_failed', `This engine does not answer as the adapter did when it was made. ${detail}`);
