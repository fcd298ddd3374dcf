import { type CanonicalRequest, isServiceError, ServiceError, type StreamEvent, type Usage } from '@slipway/contracts';
import type { EngineOutput } from '@slipway/engine';
import type { LlamaContextSequence, Token } from 'node-llama-cpp';
import type { StrictCheck } from './answer-grammar.js';
import { type AnswerSpec, AnswerWriter } from './answer-writer.js';
import { GrammarGate, type ReadGrammar } from './grammar-gate.js';
import { type PrefillTools, prefill } from './prefill.js';
import { StrictAnswer } from './strict-answer.js';
import { type TokenSource, tokenSource, type TokenSourceTools } from './token-source.js';

/** Parts shared by all generations of a model. */
export interface GenerationTools extends PrefillTools, TokenSourceTools {
  /** Fault of a JSON text by a schema; null = none. */
  readonly faultOf: (schema: unknown, text: string) => Promise<string | null>;
}

/** One request, tokenized. */
export interface GenerationTask {
  readonly prompt: readonly Token[];
  readonly sampling: CanonicalRequest['sampling'];
  /** Its `maxTokens` is at least 1, and no more than fit after the prompt: llama.cpp silently drops the beginning of longer texts. */
  readonly spec: AnswerSpec;
  readonly grammar: ReadGrammar | null;
  /** Assertions of the request's schemas that the grammar does not enforce. */
  readonly leftOut: readonly string[];
  /** Strict schemas that the finished answer is checked against. */
  readonly checks: readonly StrictCheck[];
  readonly logprobs: number | null;
  /** Tokens that end reasoning after `budget` tokens; null = no budget. */
  readonly reasoningEnd: { readonly budget: number; readonly tokens: readonly Token[] } | null;
  readonly choices: number;
}

/** Output and cancellation of a generation. */
export interface GenerationRun {
  readonly output: EngineOutput;
  readonly stopped: () => boolean;
  /** Called when a sequence failed and could not be cleared, so that its content is unknown. */
  readonly corrupted: (cause: unknown) => void;
}

/** Usage of a generation, and whether it is complete. */
export interface GenerationOutcome {
  readonly usage: Usage;
  /** False when `stopped` ended it: some choice has no `fin`. */
  readonly finished: boolean;
}

/** Generates one request on its sequences. Each sequence takes the next choice when it has finished one. */
export class GenerationRound {
  #next = 0;
  #finished = 0;
  #started: { readonly prompt: number; readonly cached: number } | null = null;
  #read = 0;
  #cached = 0;
  #failure: ServiceError | undefined;
  readonly #writers: AnswerWriter[] = [];

  constructor(
    private readonly tools: GenerationTools,
    private readonly task: GenerationTask,
    private readonly run: GenerationRun,
  ) {}

  /**
   * Generates all choices. The sequences are idle again when this settles. Once `stopped` returns true it ends within one step,
   * with the tokens counted until then.
   */
  async generate(sequences: readonly LlamaContextSequence[]): Promise<GenerationOutcome> {
    this.run.output.phase('prefill');
    if (this.task.leftOut.length > 0) this.run.output.relaxed?.(relaxedOf(this.task.leftOut));
    await Promise.all(sequences.map((sequence) => this.#lane(sequence)));
    if (this.#failure !== undefined) throw this.#failure;
    const completion = this.#writers.reduce((sum, { tokens }) => sum + tokens, 0);
    const reasoning = this.#writers.reduce((sum, { reasoned }) => sum + reasoned, 0);
    const { prompt, cached } = this.#started ?? { prompt: this.#read, cached: this.#cached };
    const usage = { prompt, cached, completion, ...(reasoning > 0 && { reasoning }) };
    return { usage, finished: this.#finished === this.task.choices };
  }

  readonly #stopped = (): boolean => this.#failure !== undefined || this.run.stopped();

  async #lane(sequence: LlamaContextSequence): Promise<void> {
    try {
      while (this.#next < this.task.choices && !this.#stopped()) {
        const choice = this.#next;
        this.#next += 1;
        await this.#choice(sequence, choice);
      }
    } catch (error) {
      this.#failure ??= isServiceError(error) ? error : new ServiceError('engine_error', 'The model failed to generate.', { cause: error });
      // The content of the sequence is unknown after a failure, so it must not be reused.
      await this.tools.gate.change(() => sequence.clearHistory()).catch(this.run.corrupted);
    }
  }

  async #choice(sequence: LlamaContextSequence, choice: number): Promise<void> {
    const { task, tools } = this;
    const { cached, done } = await prefill(sequence, task.prompt, tools, this.#stopped);
    this.#read = Math.max(this.#read, done);
    this.#cached = Math.max(this.#cached, Math.min(cached, done));
    if (this.#stopped()) return;
    this.#start(cached);
    const emit = (events: readonly StreamEvent[]): void => this.run.output.events(events);
    const strict = task.checks.length > 0 ? new StrictAnswer(task.checks, tools.faultOf, () => gate.complete, emit) : null;
    const writer = new AnswerWriter(tools.bytes, task.spec, choice, strict?.take ?? emit);
    this.#writers.push(writer);
    const gate: GrammarGate = new GrammarGate(tools.model, task.grammar, writer);
    const { sampling, logprobs } = task;
    const source = tokenSource(tools, sequence, { sampling, choice, logprobs, generated: writer.generated, grammar: gate.next });
    try {
      if (!(await this.#decode(source, writer))) return;
      await strict?.finish();
      this.#finished += 1;
    } finally {
      await source.close();
    }
  }

  #start(cached: number): void {
    if (this.#started) return;
    this.#started = { prompt: this.task.prompt.length, cached };
    const { leftOut } = this.task;
    this.run.output.events([{ k: 'start', ...this.#started, ...(leftOut.length > 0 && { relaxed: relaxedOf(leftOut) }) }]);
    this.run.output.phase('decode');
  }

  /** @returns whether the choice is complete. */
  async #decode(source: TokenSource, writer: AnswerWriter): Promise<boolean> {
    const { stop_token_ids: stops = [] } = this.task.sampling;
    let pending: readonly Token[] = this.task.prompt.slice(-1);
    for (;;) {
      const next = pending;
      const { token, logprob } = await this.tools.gate.step(next.length, () => source.after(next));
      if (this.tools.endTokens.has(token) || stops.includes(token)) {
        this.#assertAnswered(writer);
        writer.end();
        return true;
      }
      if (writer.write(token, logprob)) return true;
      if (this.#stopped()) return false;
      const forced = this.#reasoningEnd(writer);
      if (forced.some((each) => writer.write(each))) return true;
      pending = [token, ...forced];
    }
  }

  /** Tokens that end reasoning once its budget is used up. */
  #reasoningEnd(writer: AnswerWriter): readonly Token[] {
    const { reasoningEnd } = this.task;
    return reasoningEnd && writer.thinking && writer.tokens >= reasoningEnd.budget ? reasoningEnd.tokens : [];
  }

  /** @throws ServiceError when a constrained answer ended within its reasoning. */
  #assertAnswered(writer: AnswerWriter): void {
    if (this.task.grammar?.forced !== true || !writer.thinking) return;
    throw new ServiceError('engine_error', 'The model ended its turn before its answer.');
  }
}

/** Bounds of `relaxed` in an event. */
const RELAXED_MAX = 32;
const RELAXED_CHARS = 120;

const relaxedOf = (leftOut: readonly string[]): string[] => leftOut.slice(0, RELAXED_MAX).map((place) => place.slice(0, RELAXED_CHARS));
