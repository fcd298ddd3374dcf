import { ServiceError } from '@slipway/contracts';
import { type Llama, type LlamaGrammar, LlamaGrammarEvaluationState, type LlamaModel } from 'node-llama-cpp';
import type { AnswerGrammar } from './answer-grammar.js';
import type { AnswerWriter } from './answer-writer.js';
import { Recent } from './recent.js';

const CACHED = 64;

/** Parses grammars, and caches them for repeated requests. */
export class GrammarCache {
  readonly #grammars = new Recent<LlamaGrammar>(CACHED);

  constructor(
    private readonly llama: Llama,
    readonly model: LlamaModel,
  ) {}

  /** @throws ServiceError `invalid_value` for a grammar that llama.cpp cannot read. */
  async get(gbnf: string, field: string): Promise<LlamaGrammar> {
    return this.#grammars.get(gbnf) ?? this.#grammars.put(gbnf, await this.#read(gbnf, field));
  }

  async #read(gbnf: string, field: string): Promise<LlamaGrammar> {
    try {
      return await this.llama.createGrammar({ grammar: gbnf });
    } catch (cause) {
      throw new ServiceError('invalid_value', 'The grammar for this cannot be parsed.', { param: field, cause });
    }
  }
}

/** The parsed grammar of a request. */
export interface ReadGrammar {
  readonly grammar: LlamaGrammar;
  /** Whether the whole answer is constrained; otherwise it is free until a call begins. */
  readonly forced: boolean;
}

/** Parses a grammar. @throws ServiceError `invalid_value` naming the field. */
export const readGrammar = async ({ gbnf, forced, field }: AnswerGrammar, cache: GrammarCache): Promise<ReadGrammar> => ({
  grammar: await cache.get(gbnf, field),
  forced,
});

/** Decides which grammar the next token of a choice must follow. Reasoning is free, unless the grammar itself contains it. */
export class GrammarGate {
  #state: LlamaGrammarEvaluationState | undefined;
  #late = false;

  constructor(
    private readonly model: LlamaModel,
    private readonly read: ReadGrammar | null,
    private readonly writer: Pick<AnswerWriter, 'thinking' | 'answered' | 'silent'>,
  ) {}

  /** Whether the grammar has seen exactly the text of the answer, from its first character on. */
  get complete(): boolean {
    return !this.#late && !this.writer.silent;
  }

  /** Call once before each token. */
  readonly next = (): LlamaGrammarEvaluationState | undefined => {
    const { writer, read, model } = this;
    if (!read || (writer.thinking && !(read.forced && this.#state))) {
      this.#state = undefined;
      return undefined;
    }
    // The token that ended the reasoning may contain the beginning of the answer.
    if (!this.#state) this.#late = writer.answered;
    this.#state ??= new LlamaGrammarEvaluationState({ model, grammar: read.grammar });
    return this.#state;
  };
}
