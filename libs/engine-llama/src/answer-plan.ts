import { createHash } from 'node:crypto';
import { type CanonicalRequest, isServiceError, ServiceError } from '@slipway/contracts';
import { offeredTools } from '@slipway/model-text';
import type { AnswerGrammar } from './answer-grammar.js';
import type { AnswerSpec } from './answer-writer.js';
import { isOutOfTime } from './grammar/compile-budget.js';
import type { GrammarTasks } from './grammar-tasks.js';
import { Recent } from './recent.js';
import type { CallFamily } from './tool-calls/call-family.js';

/** One grammar may take a megabyte. */
const REMEMBERED_GRAMMARS = 32;

/** What a request's answer must look like, known before its prompt is tokenized. */
export interface AnswerPlan {
  readonly grammar: AnswerGrammar | null;
  readonly calls: AnswerSpec['calls'];
}

/** Plans the form of answers. Grammars of repeated requests are compiled once. */
export class AnswerPlanner {
  readonly #made = new Recent<Promise<AnswerGrammar | null>>(REMEMBERED_GRAMMARS);

  readonly #family: CallFamily | null;
  readonly #tasks: Pick<GrammarTasks, 'grammar'>;

  constructor(family: CallFamily | null, tasks: Pick<GrammarTasks, 'grammar'>) {
    this.#family = family;
    this.#tasks = tasks;
  }

  /** @throws ServiceError naming the field that cannot be granted, by itself or together with others. */
  async plan(request: CanonicalRequest): Promise<AnswerPlan> {
    const family = this.#family;
    const tools = offeredTools(request);
    const single = request.parallel_tool_calls === false || typeof request.tool_choice === 'object';
    // Some families put marks around all text, so their answers need the reader even without tools.
    const calls = family && (tools.length > 0 || family.framesText) ? { family, tools, single } : null;
    const grammar = (family && tools.length > 0) || request.output ? await this.#grammar(request) : null;
    if (request.continue_final === true && grammar?.forced === true) {
      throw new ServiceError('unsupported_value', `A message cannot be continued together with ${grammar.field}.`, {
        param: 'continue_final_message',
      });
    }
    return { grammar, calls };
  }

  #grammar({ tools, tool_choice, parallel_tool_calls, output }: CanonicalRequest): Promise<AnswerGrammar | null> {
    const source = { tools, tool_choice, parallel_tool_calls, output };
    const key = createHash('sha256').update(JSON.stringify(source)).digest('base64');
    return this.#made.get(key) ?? this.#made.put(key, this.#make(key, source));
  }

  async #make(key: string, source: Parameters<GrammarTasks['grammar']>[0]): Promise<AnswerGrammar | null> {
    try {
      return await this.#tasks.grammar(source, this.#family?.name ?? null);
    } catch (error) {
      // An invalid schema stays invalid, so its error is kept. A busy, slow or crashed thread may work next time.
      if (!isServiceError(error) || error.code === 'overloaded' || isOutOfTime(error)) this.#made.drop(key);
      throw error;
    }
  }
}
