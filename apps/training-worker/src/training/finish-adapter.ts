import { join } from 'node:path';
import { type AdapterForms, writeForms } from '../results/adapter-forms.js';
import { type LoraAdapter, readLoraGguf } from '../results/lora-gguf.js';
import type { LlamaScorer } from '../scoring.js';
import { TrainingFault } from '../training-fault.js';
import { chooseScale } from './adapter-scale.js';
import { type BaseScores, withScorer } from './base-scores.js';
import type { CheckpointScore } from './checkpoint-scores.js';
import type { PreparedExample } from './prepared-example.js';
import type { AdapterResult, TrainingJob, TrainingSink } from './training-job.js';
import { judge } from './verdict.js';
import { withRoom } from './with-room.js';
import { makeWitness, witnessPrompts } from './witness.js';

/** Least distance of an adapter from its base; below, no replica could prove that it serves the adapter. */
export const LEAST_DISTANCE = 0.02;

/** What is known of a job when its training is over. */
export interface FinishInput {
  readonly job: TrainingJob;
  readonly scorer: LlamaScorer;
  readonly context: number;
  readonly base: BaseScores;
  readonly first: readonly PreparedExample[];
  readonly held: readonly PreparedExample[];
  readonly kept: readonly PreparedExample[] | null;
  readonly best: CheckpointScore;
  readonly sink: TrainingSink;
  readonly signal: AbortSignal;
}

/**
 * Makes the adapter of the best checkpoint: both forms, witness and verdict.
 * @throws TrainingFault `no_effect` when it answers as the base does; `adapter_mismatch` for a damaged one; `no_disk` without room
 */
export async function finishAdapter(input: FinishInput): Promise<AdapterResult> {
  const { job, scorer, context, best, sink, first, held, kept, base, signal } = input;
  sink.state('finishing', null);
  sink.event({
    level: 'info',
    code: 'best',
    message: whyBest(best, job.settings.method === 'dpo' ? base.scored.length : base.asked.length),
    data: { step: best.step, loss: best.loss, degenerate: best.degenerate, right: best.right },
  });
  const scale = await chooseScale({ scorer, adapter: best.adapter, context, base, signal });
  if (scale < 1) {
    const message = `The adapter is applied at ${scale} of what was trained: its right answers stay, and the base forgets less.`;
    sink.event({ level: 'info', code: 'scaled', message, data: { scale } });
  }
  const files = await withRoom(() => formsOf(job, best, scale), { sink, signal });
  return withScorer(scorer, files.gguf, context, (adapter) =>
    withScorer(scorer, null, context, async (plain) => {
      const witness = await makeWitness(adapter, plain, witnessPrompts(first, kept ?? held));
      assertEffect(witness.distance);
      const how = 'The adapter is told from its base by its answers.';
      sink.event({ level: 'info', code: 'witnessed', message: how, data: { distance: witness.distance } });
      sink.state('evaluating', null);
      const { judged } = base;
      const limits = { distance: witness.distance, leastDistance: LEAST_DISTANCE, gate: job.gate };
      const judgement = await judge({ base: plain, adapter, held, judged, kept, signal, objective: base.objective, ...limits });
      const { templateSha256, tokenizerSha256 } = scorer.texts.hashes;
      return { ...files, step: best.step, baseSha256: job.base.sha256, templateSha256, tokenizerSha256, witness, ...judgement };
    }),
  );
}

const whyBest = ({ step, degenerate, right, loss }: CheckpointScore, asked: number): string =>
  `The checkpoint at step ${step} is the best: ${degenerate === 0 ? 'no' : degenerate} degenerate answers, ${right} of ${asked} right, loss ${loss.toFixed(3)}.`;

function assertEffect(distance: number): void {
  if (distance >= LEAST_DISTANCE) return;
  const message = `The adapter answers as its base does (distance ${distance.toFixed(4)}): nothing was learned. Train longer, or with a higher rate.`;
  throw new TrainingFault('no_effect', message, { distance });
}

const formsOf = async ({ folder, base }: TrainingJob, best: CheckpointScore, scale: number): Promise<AdapterForms> =>
  writeForms(join(folder, 'adapter'), scaled(await readLoraGguf(best.adapter), scale), base.path);

/** In the weights, not in `alpha`, which some engines take only as a whole number. */
function scaled(adapter: LoraAdapter, scale: number): LoraAdapter {
  if (scale === 1) return adapter;
  const pairs = adapter.pairs.map((pair) => ({ ...pair, b: { ...pair.b, values: pair.b.values.map((value) => value * scale) } }));
  return { ...adapter, pairs };
}
