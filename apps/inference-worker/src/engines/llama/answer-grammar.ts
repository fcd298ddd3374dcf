import { createHash } from 'node:crypto';
import { type CanonicalRequest, isServiceError, ServiceError, type Tool } from '@slipway/contracts';
import { outputRules } from './grammar/output-grammar.js';
import type { Recent } from './recent.js';
import { offeredTools } from './template-input.js';
import { toolGrammar } from './tool-grammar.js';
import type { CallFamily } from './tool-calls/call-family.js';

type Output = NonNullable<CanonicalRequest['output']>;

/** Names of an answer's forms in the chat contract. */
const FIELDS: Readonly<Record<Output['kind'], string>> = {
  json_object: 'response_format',
  json_schema: 'response_format',
  regex: 'structured_outputs',
  choice: 'structured_outputs',
  grammar: 'structured_outputs',
};

/** What an answer is held to. */
export interface AnswerGrammar {
  /** GBNF of the whole answer; null = it is free until a call begins. */
  readonly whole: string | null;
  /** Calls are held to this from their mark on; null = they are free. */
  readonly calls: { readonly open: string; readonly lead: string; readonly rest: string } | null;
  /** The request's field that asks for it. */
  readonly field: string;
  /** Whether the caller was promised it. */
  readonly promised: boolean;
}

/** Grammars of requests by what they are made from. */
export type GrammarMemory = Recent<{ readonly grammar: AnswerGrammar | null }>;

/**
 * The grammar of an answer; null = it is free. Large ones take milliseconds to make, hence the memory.
 * @throws ServiceError naming the field that asks for what cannot be forced.
 */
export function answerGrammar(request: CanonicalRequest, family: CallFamily | null, memory: GrammarMemory): AnswerGrammar | null {
  const { tools, tool_choice: choice, parallel_tool_calls: parallel, output } = request;
  const key = createHash('sha256')
    .update(JSON.stringify([tools, choice, parallel, output]))
    .digest('base64');
  return (memory.get(key) ?? memory.put(key, { grammar: makeGrammar(request, family) })).grammar;
}

function makeGrammar(request: CanonicalRequest, family: CallFamily | null): AnswerGrammar | null {
  const tools = family ? offeredTools(request) : [];
  const choice = request.tool_choice ?? 'auto';
  if (family && tools.length > 0 && choice !== 'auto') return forcedCalls(request, family, chosenTools(tools, choice));
  if (request.output) return forcedOutput(request.output, request, family, tools);
  return family && tools.length > 0 ? freeCalls(request, family, tools) : null;
}

function chosenTools(tools: readonly Tool[], choice: Exclude<NonNullable<CanonicalRequest['tool_choice']>, 'auto'>): readonly Tool[] {
  if (typeof choice === 'string') return tools;
  const named = tools.filter(({ name }) => name === choice.name);
  if (named.length > 0) return named;
  throw new ServiceError('invalid_value', `There is no tool named ${JSON.stringify(choice.name)}.`, { param: 'tool_choice' });
}

function forcedCalls(request: CanonicalRequest, family: CallFamily, tools: readonly Tool[]): AnswerGrammar {
  const many = request.parallel_tool_calls !== false && typeof request.tool_choice === 'string';
  const { whole, rules } = toolGrammar(tools, family, { many, bySchema: true });
  return { whole: `root ::= ${whole}\n${rules}`, calls: null, field: 'tool_choice', promised: true };
}

/** From the mark on, if the family has one, names are those of tools, and arguments objects; those of strict tools follow their schemas. */
function freeCalls(request: CanonicalRequest, family: CallFamily, tools: readonly Tool[]): AnswerGrammar | null {
  const { open, lead } = family.form;
  if (open === '') return null;
  const { behindOpen, rules } = toolGrammar(tools, family, { many: request.parallel_tool_calls !== false, bySchema: false });
  const promised = tools.some(({ strict }) => strict === true);
  return { whole: null, calls: { open, lead, rest: `root ::= ${behindOpen}\n${rules}` }, field: 'tools', promised };
}

function forcedOutput(output: Output, request: CanonicalRequest, family: CallFamily | null, tools: readonly Tool[]): AnswerGrammar {
  const field = FIELDS[output.kind];
  const text = naming(field, () => outputRules(output, 'output-'));
  const calls =
    family && tools.length > 0 ? toolGrammar(tools, family, { many: request.parallel_tool_calls !== false, bySchema: false }) : null;
  const root = calls ? `root ::= ${text.root} | ${calls.whole}\n${calls.rules}` : `root ::= ${text.root}\n`;
  return { whole: root + text.rules, calls: null, field, promised: true };
}

function naming<T>(param: string, make: () => T): T {
  try {
    return make();
  } catch (error) {
    if (!isServiceError(error)) throw error;
    throw new ServiceError(error.code, error.message, { param: error.param ?? param, cause: error.cause });
  }
}
