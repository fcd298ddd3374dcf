import { ServiceError } from '@slipway/contracts';
import { type Llama, type LlamaGrammar, LlamaGrammarEvaluationState, type LlamaModel } from 'node-llama-cpp';
import type { AnswerGrammar } from './answer-grammar.js';
import type { AnswerWriter } from './answer-writer.js';
import { Recent } from './recent.js';

const CACHED = 64;

/** Reads grammars; those of repeated requests only once. */
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
      throw new ServiceError('invalid_value', 'The grammar that this asks for cannot be read.', { param: field, cause });
    }
  }
}

/** The grammars of a request, read. */
export interface ReadGrammar {
  readonly whole: LlamaGrammar | null;
  readonly calls: { readonly open: string; readonly behindOpen: LlamaGrammar; readonly behindLead: LlamaGrammar } | null;
}

/** Reads all that an answer is held to. @throws ServiceError `invalid_value` naming the field. */
export async function readGrammar({ whole, calls, field }: AnswerGrammar, cache: GrammarCache): Promise<ReadGrammar> {
  return {
    whole: whole === null ? null : await cache.get(whole, field),
    calls: calls && {
      open: calls.open,
      behindOpen: await cache.get(calls.rest.replace('root ::= ', 'root ::= [ \\n]? '), field),
      behindLead: await cache.get(calls.rest, field),
    },
  };
}

/** Says which grammar the next token of a choice must follow. Reasoning follows none, unless the grammar itself writes it. */
export class GrammarGate {
  #state: LlamaGrammarEvaluationState | undefined;

  constructor(
    private readonly model: LlamaModel,
    private readonly grammar: ReadGrammar | null,
    private readonly writer: Pick<AnswerWriter, 'thinking' | 'reader'>,
  ) {}

  /** To be asked once before each token. */
  readonly next = (): LlamaGrammarEvaluationState | undefined => {
    const { writer, grammar } = this;
    if (!grammar || (writer.thinking && !(grammar.whole && this.#state))) return undefined;
    if (grammar.whole) this.#state ??= this.#begin(grammar.whole);
    else this.#state = this.#forCall(grammar.calls);
    return this.#state;
  };

  /** From the mark of a call to its end; what follows is free again. */
  #forCall(calls: ReadGrammar['calls']): LlamaGrammarEvaluationState | undefined {
    const { reader } = this.writer;
    if (!calls || !reader?.inside) return undefined;
    if (this.#state) return this.#state;
    const behind = reader.beginning.startsWith(calls.open) ? reader.beginning.slice(calls.open.length) : null;
    if (behind === null || behind.trim() !== '') return undefined;
    return this.#begin(behind === '' ? calls.behindOpen : calls.behindLead);
  }

  #begin(grammar: LlamaGrammar): LlamaGrammarEvaluationState {
    return new LlamaGrammarEvaluationState({ model: this.model, grammar });
  }
}
