import { type CanonicalRequest, isServiceError, ServiceError, type Tool } from '@slipway/contracts';
import { offeredTools } from '@slipway/model-text';
import { CompileBudget } from './grammar/compile-budget.js';
import { outputRules } from './grammar/output-grammar.js';
import { type ToolGrammar, toolGrammar } from './tool-grammar.js';
import type { CallFamily } from './tool-calls/call-family.js';
import { gbnfText } from './tool-calls/gbnf-text.js';

/** Parts of a request that decide its grammar. */
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

/** A schema that a finished answer must satisfy, including what its grammar leaves out. */
export interface StrictCheck {
  readonly schema: unknown;
  /** The tool whose arguments they are; null = the text. */
  readonly tool: string | null;
  /** Field of the request that requires it. */
  readonly field: string;
  /** Whether the grammar enforces all of it: then only text that escaped the grammar is checked. */
  readonly held: boolean;
}

/** The grammar that an answer must follow. */
export interface AnswerGrammar {
  /** GBNF of the whole answer. */
  readonly gbnf: string;
  /** Whether the whole answer is constrained; otherwise it is free until a call begins. */
  readonly forced: boolean;
  /** Field of the request that requires it. */
  readonly field: string;
  /** Assertions that it does not enforce: `/pointer` in the answer's schema, `tool:/pointer` in a tool's. */
  readonly leftOut: readonly string[];
  /** Strict schemas that the finished answer is checked against. */
  readonly checks: readonly StrictCheck[];
}

/**
 * The grammar of an answer; null = unconstrained. May take a second: see `GrammarTasks`.
 * @param clock as `CompileBudget` takes it.
 * @throws ServiceError naming the field that cannot be enforced.
 */
export function makeGrammar(request: GrammarSource, family: CallFamily | null, clock?: () => number): AnswerGrammar | null {
  const tools = family ? offeredTools(request) : [];
  const budget = new CompileBudget(clock);
  const choice = request.tool_choice ?? 'auto';
  if (family && tools.length > 0 && choice !== 'auto') {
    return forcedCalls(request, family, chosenTools(tools, choice), budget);
  }
  if (request.output) {
    return forcedOutput(request.output, request, family && { family, tools }, budget);
  }
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
  const checks = checksOf(made, tools).filter(({ held }) => !held);
  return { gbnf: `root ::= ${made.whole}\n${made.rules}`, forced: true, field: 'tool_choice', leftOut: placesOf(made), checks };
}

/** Free text in which every call names an offered tool and has arguments that follow its schema. */
function freeCalls(request: GrammarSource, family: CallFamily, tools: readonly Tool[], budget: CompileBudget): AnswerGrammar {
  const made = toolGrammar(tools, family, { many: request.parallel_tool_calls !== false, budget });
  const checks = checksOf(made, tools).map((check) => ({ ...check, held: check.held && family.form.mayEscape !== true }));
  return { gbnf: `root ::= free\n${made.free()}`, forced: false, field: 'tools', leftOut: placesOf(made), checks };
}

/** The family of a model, and the tools that it may call. */
interface Callable {
  readonly family: CallFamily;
  readonly tools: readonly Tool[];
}

function forcedOutput(output: Output, request: GrammarSource, callable: Callable | null, budget: CompileBudget): AnswerGrammar {
  const field = FIELDS[output.kind];
  const text = naming(field, () => outputRules(output, 'output-', budget));
  const head = headOf(callable?.family ?? null);
  const calls = callsBeside(callable, request, budget);
  const root = calls ? `root ::= ${head}${text.root} | ${calls.whole}\n${calls.rules}` : `root ::= ${head}${text.root}\n`;
  const isStrict = output.kind === 'json_schema' && output.strict === true && text.leftOut.length > 0;
  const check: StrictCheck[] = isStrict ? [{ schema: output.schema, tool: null, field, held: false }] : [];
  const ofCalls = calls ? checksOf(calls, callable?.tools ?? []).filter(({ held }) => !held) : [];
  const leftOut = [...text.leftOut, ...(calls ? placesOf(calls) : [])];
  return { gbnf: root + text.rules, forced: true, field, leftOut, checks: [...check, ...ofCalls] };
}

const callsBeside = (
  callable: Callable | null,
  { parallel_tool_calls: parallel }: GrammarSource,
  budget: CompileBudget,
): ToolGrammar | null =>
  callable && callable.tools.length > 0 ? toolGrammar(callable.tools, callable.family, { many: parallel !== false, budget }) : null;

/** GBNF of what a family writes before the text of an answer. */
const headOf = (family: CallFamily | null): string => (family === null || family.head === '' ? '' : `${gbnfText(family.head)}? `);

const placesOf = ({ leftOut }: Pick<ToolGrammar, 'leftOut'>): string[] =>
  leftOut.flatMap(({ tool, places }) => places.map((place) => `${tool}:${place}`));

/** What calls of strict tools are checked against. */
function checksOf({ leftOut }: Pick<ToolGrammar, 'leftOut'>, tools: readonly Tool[]): StrictCheck[] {
  const names = new Set(leftOut.map(({ tool }) => tool));
  return tools.flatMap(({ name, parameters, strict }, i): StrictCheck[] =>
    strict === true && parameters
      ? [{ schema: parameters, tool: name, field: `tools[${i}].function.parameters`, held: !names.has(name) }]
      : [],
  );
}

function naming<T>(param: string, make: () => T): T {
  try {
    return make();
  } catch (error) {
    if (!isServiceError(error)) throw error;
    throw new ServiceError(error.code, error.message, { param: error.param ?? param, cause: error.cause });
  }
}
