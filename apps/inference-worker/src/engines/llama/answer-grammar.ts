import { type CanonicalRequest, isServiceError, ServiceError, type Tool } from '@slipway/contracts';
import { CompileBudget } from './grammar/compile-budget.js';
import { outputRules } from './grammar/output-grammar.js';
import { offeredTools } from './template-input.js';
import { type ToolGrammar, toolGrammar } from './tool-grammar.js';
import type { CallFamily } from './tool-calls/call-family.js';

/** What a request's grammar is made from. */
export type GrammarSource = Pick<CanonicalRequest, 'tools' | 'tool_choice' | 'parallel_tool_calls' | 'output'>;

type Output = NonNullable<CanonicalRequest['output']>;

/** Names of an answer's forms in the chat contract. */
const FIELDS: Readonly<Record<Output['kind'], string>> = {
  json_object: 'response_format',
  json_schema: 'response_format',
  regex: 'structured_outputs',
  choice: 'structured_outputs',
  grammar: 'structured_outputs',
};

/** A schema that a finished answer must satisfy, what its grammar leaves out included. */
export interface StrictCheck {
  readonly schema: unknown;
  /** The tool whose arguments they are; null = the text. */
  readonly tool: string | null;
  /** The request's field that asks for it. */
  readonly field: string;
}

/** What an answer is held to. */
export interface AnswerGrammar {
  /** GBNF of the whole answer; null = it is free until a call begins. */
  readonly whole: string | null;
  /** Calls are held to this from their mark on; null = they are free. */
  readonly calls: { readonly open: string; readonly lead: string; readonly rest: string } | null;
  /** The request's field that asks for it. */
  readonly field: string;
  /** What of its schemas it leaves out: `/pointer` of the answer's, `tool:/pointer` of a tool's. */
  readonly leftOut: readonly string[];
  /** What strict schemas it leaves something out of. */
  readonly checks: readonly StrictCheck[];
}

/**
 * The grammar of an answer; null = it is free. It may take a second: see `GrammarTasks`.
 * @param clock as `CompileBudget` takes it.
 * @throws ServiceError naming the field that asks for what cannot be forced.
 */
export function makeGrammar(request: GrammarSource, family: CallFamily | null, clock?: () => number): AnswerGrammar | null {
  const budget = new CompileBudget(clock);
  const tools = family ? offeredTools(request) : [];
  const choice = request.tool_choice ?? 'auto';
  if (family && tools.length > 0 && choice !== 'auto') {
    return forcedCalls(request, family, chosenTools(tools, choice), budget);
  }
  if (request.output) return forcedOutput(request.output, request, family && tools.length > 0 ? { family, tools } : null, budget);
  return family && tools.length > 0 ? freeCalls(request, family, tools, budget) : null;
}

function chosenTools(tools: readonly Tool[], choice: Exclude<NonNullable<CanonicalRequest['tool_choice']>, 'auto'>): readonly Tool[] {
  if (typeof choice === 'string') return tools;
  const named = tools.filter(({ name }) => name === choice.name);
  if (named.length > 0) return named;
  throw new ServiceError('invalid_value', `There is no tool named ${JSON.stringify(choice.name)}.`, { param: 'tool_choice' });
}

function forcedCalls(request: GrammarSource, family: CallFamily, tools: readonly Tool[], budget: CompileBudget): AnswerGrammar {
  const many = request.parallel_tool_calls !== false && typeof request.tool_choice === 'string';
  const made = toolGrammar(tools, family, { many, budget });
  return { whole: `root ::= ${made.whole}\n${made.rules}`, calls: null, field: 'tool_choice', ...unheld(made, tools) };
}

/** From the mark on, if the family has one, names are those of tools, and arguments follow their schemas. */
function freeCalls(request: GrammarSource, family: CallFamily, tools: readonly Tool[], budget: CompileBudget): AnswerGrammar {
  const { open, lead } = family.form;
  const made = toolGrammar(tools, family, { many: request.parallel_tool_calls !== false, budget });
  // Without a mark nothing says when a call begins: its schema is checked when it is over, where it is strict.
  const calls = open === '' ? null : { open, lead, rest: `root ::= ${made.behindOpen}\n${made.rules}` };
  const { leftOut, checks } =
    open === '' ? unheld({ leftOut: tools.map(({ name }) => ({ tool: name, places: ['/'] })) }, tools) : unheld(made, tools);
  return { whole: null, calls, field: 'tools', leftOut, checks };
}

function forcedOutput(
  output: Output,
  request: GrammarSource,
  callable: { readonly family: CallFamily; readonly tools: readonly Tool[] } | null,
  budget: CompileBudget,
): AnswerGrammar {
  const field = FIELDS[output.kind];
  const text = naming(field, () => outputRules(output, 'output-', budget));
  const calls = callable && toolGrammar(callable.tools, callable.family, { many: request.parallel_tool_calls !== false, budget });
  const root = calls ? `root ::= ${text.root} | ${calls.whole}\n${calls.rules}` : `root ::= ${text.root}\n`;
  const ofCalls = calls ? unheld(calls, callable?.tools ?? []) : { leftOut: [], checks: [] };
  const isStrict = output.kind === 'json_schema' && output.strict === true && text.leftOut.length > 0;
  const check: StrictCheck[] = isStrict ? [{ schema: output.schema, tool: null, field }] : [];
  const leftOut = [...text.leftOut, ...ofCalls.leftOut];
  return { whole: root + text.rules, calls: null, field, leftOut, checks: [...check, ...ofCalls.checks] };
}

function unheld({ leftOut }: Pick<ToolGrammar, 'leftOut'>, tools: readonly Tool[]): Pick<AnswerGrammar, 'leftOut' | 'checks'> {
  const names = new Set(leftOut.map(({ tool }) => tool));
  const checks = tools.flatMap(({ name, parameters, strict }, i): StrictCheck[] =>
    strict === true && parameters && names.has(name) ? [{ schema: parameters, tool: name, field: `tools[${i}].function.parameters` }] : [],
  );
  return { leftOut: leftOut.flatMap(({ tool, places }) => places.map((place) => `${tool}:${place}`)), checks };
}

function naming<T>(param: string, make: () => T): T {
  try {
    return make();
  } catch (error) {
    if (!isServiceError(error)) throw error;
    throw new ServiceError(error.code, error.message, { param: error.param ?? param, cause: error.cause });
  }
}
