import { type CanonicalRequest, ServiceError } from '@slipway/contracts';
import { type AnswerGrammar, answerGrammar, type GrammarMemory } from './answer-grammar.js';
import type { AnswerSpec } from './answer-writer.js';
import type { TemplateFacts } from './template-facts.js';
import { offeredTools } from './template-input.js';

/** How a request is answered, as far as it is known before its prompt is read. */
export interface AnswerPlan {
  readonly grammar: AnswerGrammar | null;
  readonly calls: AnswerSpec['calls'];
}

const refusal = (param: string, reason: string): ServiceError => new ServiceError('unsupported_value', reason, { param });

/**
 * Decides what an answer is held to.
 * @throws ServiceError naming the field whose wish cannot be kept together with the others.
 */
export function planAnswer(request: CanonicalRequest, { family }: TemplateFacts, memory: GrammarMemory): AnswerPlan {
  const tools = offeredTools(request);
  const single = request.parallel_tool_calls === false || typeof request.tool_choice === 'object';
  const calls = family && tools.length > 0 ? { family, tools, single } : null;
  const grammar = answerGrammar(request, family, memory);
  if (request.continue_final === true && grammar?.whole) {
    throw refusal('continue_final_message', `A message that was begun cannot be continued together with ${grammar.field}.`);
  }
  return { grammar, calls };
}
