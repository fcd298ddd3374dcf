import { type CanonicalRequest, isServiceError, ServiceError, type StreamEvent, type Usage } from '@slipway/contracts';
import type { EngineOutput } from '@slipway/engine';
import type { LlamaContextSequence, Token } from 'node-llama-cpp';
import type { StrictCheck } from './answer-grammar.js';
import { type AnswerSpec, AnswerWriter } from './answer-writer.js';
import { GrammarGate, type ReadGrammar } from './grammar-gate.js';
import { type PrefillTools, prefill } from './prefill.js';
import { StrictAnswer } from './strict-answer.js';
import { type TokenSource, tokenSource, type TokenSourceTools } from './token-source.js';

/** What all generations of a model share. */
export interface GenerationTools extends PrefillTools, TokenSourceTools {
  /** What is wrong with a JSON text by a schema; null = nothing. */
  readonly faultOf: (schema: unknown, text: string) => Promise<string | null>;
}

/** One request, tokenized. */
export interface GenerationTask {
  readonly prompt: readonly Token[];
  readonly sampling: CanonicalRequest['sampling'];
  /** Its `maxTokens` is at least 1, and no more than fit behind the prompt: llama.cpp forgets the beginning of longer texts without a word. */
  readonly spec: AnswerSpec;
  readonly grammar: ReadGrammar | null;
  /** What of the request's schemas the grammar leaves out. */
  readonly leftOut: readonly string[];
  /** Strict schemas that the finished answer is checked against. */
  readonly checks: readonly StrictCheck[];
  readonly logprobs: number | null;
  /** After so many tokens of reasoning these tokens end it; null = it ends by itself. */
  readonly reasoningEnd: { readonly budget: number; readonly tokens: readonly Token[] } | null;
  readonly choices: number;
}

/** Where a generation puts its output, and what ends it. */
export interface GenerationRun {
  readonly output: EngineOutput;
  readonly stopped: () => boolean;
  /** A sequence failed and could not be emptied: what it holds is unknown, and stays so. */
  readonly spoilt: (cause: unknown) => void;
}

export interface GenerationOutcome {
  readonly usage: Usage;
  /** False when `stopped` cut it off: some choice has no `fin`. */
  readonly finished: boolean;
}

/** One request on the sequences that it has. Each takes the next choice when it is done with one. */
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
   * Generates all choices. The sequences are at rest again when this resolves or rejects. Once `stopped` says so it ends
   * within one step, with what was counted until then.
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
      // What the sequence holds after a failure is unknown, so nothing of it may be reused.
      await this.tools.gate.change(() => sequence.clearHistory()).catch(this.run.spoilt);
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
      await this.tools.gate.pass();
      const { token, logprob } = await source.after(pending);
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

  /** Tokens that end reasoning which has taken what it may take. */
  #reasoningEnd(writer: AnswerWriter): readonly Token[] {
    const { reasoningEnd } = this.task;
    return reasoningEnd && writer.thinking && writer.tokens >= reasoningEnd.budget ? reasoningEnd.tokens : [];
  }

  /** An answer that must have a form, and ended within its reasoning, has none. */
  #assertAnswered(writer: AnswerWriter): void {
    if (this.task.grammar?.forced !== true || !writer.thinking) return;
    throw new ServiceError('engine_error', 'The model ended its turn before the answer that was asked for.');
  }
}

/** As much of what is left out as an event is to carry. */
const RELAXED_MAX = 32;
const RELAXED_CHARS = 120;

const relaxedOf = (leftOut: readonly string[]): string[] => leftOut.slice(0, RELAXED_MAX).map((place) => place.slice(0, RELAXED_CHARS));
