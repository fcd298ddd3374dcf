import { createHash } from 'node:crypto';
import { type CanonicalRequest, isServiceError, ServiceError } from '@slipway/contracts';
import type { AnswerGrammar } from './answer-grammar.js';
import type { AnswerSpec } from './answer-writer.js';
import { isOutOfTime } from './grammar/compile-budget.js';
import type { GrammarTasks } from './grammar-tasks.js';
import { Recent } from './recent.js';
import type { TemplateFacts } from './template-facts.js';
import { offeredTools } from './template-input.js';

/** A grammar may take a megabyte. */
const REMEMBERED_GRAMMARS = 32;

/** How a request is answered, as far as it is known before its prompt is read. */
export interface AnswerPlan {
  readonly grammar: AnswerGrammar | null;
  readonly calls: AnswerSpec['calls'];
}

/** Decides what answers are held to. Grammars of repeated requests are made once. */
export class AnswerPlanner {
  readonly #made = new Recent<Promise<AnswerGrammar | null>>(REMEMBERED_GRAMMARS);

  constructor(
    private readonly facts: TemplateFacts,
    private readonly tasks: Pick<GrammarTasks, 'grammar'>,
  ) {}

  /** @throws ServiceError naming the field whose wish cannot be kept, alone or together with the others. */
  async plan(request: CanonicalRequest): Promise<AnswerPlan> {
    const { family } = this.facts;
    const tools = offeredTools(request);
    const single = request.parallel_tool_calls === false || typeof request.tool_choice === 'object';
    // Some families put marks around all text, which only their reader takes away.
    const calls = family && (tools.length > 0 || family.framesText) ? { family, tools, single } : null;
    const grammar = (family && tools.length > 0) || request.output ? await this.#grammar(request) : null;
    if (request.continue_final === true && grammar?.forced === true) {
      throw new ServiceError('unsupported_value', `A message that was begun cannot be continued together with ${grammar.field}.`, {
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
      return await this.tasks.grammar(source, this.facts.family?.name ?? null);
    } catch (error) {
      // A schema that is wrong stays so; a thread that was busy, slow or broken does not.
      if (!isServiceError(error) || error.code === 'overloaded' || isOutOfTime(error)) this.#made.drop(key);
      throw error;
    }
  }
}
