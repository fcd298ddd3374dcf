import { type CanonicalRequest, ServiceError, type Usage } from '@slipway/contracts';
import type { LlamaContextSequence, LlamaModel, SequenceEvaluateOptions, Token } from 'node-llama-cpp';
import type { EngineOutput } from '../engine.js';
import { AnswerWriter } from './answer-writer.js';
import { type PrefillTools, prefill } from './prefill.js';
import { type SamplingDefaults, samplingOptions } from './sampling-options.js';
import type { TokenBytes } from './token-bytes.js';

/** What all generations of a model share. */
export interface GenerationTools extends PrefillTools {
  readonly model: LlamaModel;
  readonly bytes: TokenBytes;
  readonly defaults: SamplingDefaults;
  /** Texts that end an answer beside the model's own end tokens. */
  readonly ends: readonly string[];
}

/** One request, tokenized. */
export interface GenerationTask {
  readonly prompt: readonly Token[];
  readonly sampling: CanonicalRequest['sampling'];
  readonly stop: readonly string[];
  /** At least 1, and no more than fit behind the prompt: llama.cpp forgets the beginning of longer texts without a word. */
  readonly maxTokens: number;
}

export interface GenerationOutcome {
  readonly usage: Usage;
  /** False when `stopped` cut it off: no `fin` was written. */
  readonly finished: boolean;
}

/**
 * Runs one request on one sequence, which is at rest again when this resolves or rejects.
 * Once `stopped` says so it ends within one step, with what was counted until then and without a `fin`.
 */
export async function runGeneration(
  tools: GenerationTools,
  sequence: LlamaContextSequence,
  task: GenerationTask,
  run: { readonly output: EngineOutput; readonly stopped: () => boolean },
): Promise<GenerationOutcome> {
  const { output, stopped } = run;
  const writer = new AnswerWriter(tools.bytes, { requested: task.stop, template: tools.ends }, task.maxTokens, output);
  const options = samplingOptions(tools.model, task.sampling, tools.defaults, writer.generated);
  try {
    output.phase('prefill');
    const { cached, done } = await prefill(sequence, task.prompt, tools, stopped);
    if (stopped()) return { usage: { prompt: done, cached, completion: 0 }, finished: false };
    output.events([{ k: 'start', prompt: task.prompt.length, cached }]);
    output.phase('decode');
    await tools.gate.pass();
    const finished = await decode({ tools, sequence, task, options, writer, stopped });
    return { usage: { prompt: task.prompt.length, cached, completion: writer.tokens }, finished };
  } catch (error) {
    // What the sequence holds after a failure is unknown, so nothing of it may be reused.
    await tools.gate.change(() => sequence.clearHistory()).catch(() => undefined);
    throw error instanceof ServiceError ? error : new ServiceError('engine_error', 'The model failed to generate.', { cause: error });
  }
}

interface Decoding {
  readonly tools: GenerationTools;
  readonly sequence: LlamaContextSequence;
  readonly task: GenerationTask;
  readonly options: SequenceEvaluateOptions;
  readonly writer: AnswerWriter;
  readonly stopped: () => boolean;
}

/** @returns whether the answer is complete. */
async function decode({ tools, sequence, task, options, writer, stopped }: Decoding): Promise<boolean> {
  // A returning loop closes the generator, and with it the sampler.
  for await (const token of sequence.evaluate(task.prompt.slice(-1), options)) {
    if (tools.model.isEogToken(token)) {
      writer.end();
      return true;
    }
    if (writer.write(token)) return true;
    if (stopped()) return false;
    await tools.gate.pass();
  }
  throw new Error('llama.cpp ended without an end token.');
}
