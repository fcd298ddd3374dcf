import { isServiceError, ServiceError, type Tool } from '@slipway/contracts';
import { CompileBudget } from './grammar/compile-budget.js';
import { type EmbeddedRules, jsonObjectRules, jsonSchemaRules } from './grammar/json-schema-grammar.js';
import { LeftOut } from './grammar/left-out.js';
import { type PlainTextRules, plainTextRules } from './grammar/plain-text-grammar.js';
import { SchemaReader } from './grammar/schema-reader.js';
import { namesOf, schemasOf, within, type Words } from './grammar/schema-words.js';
import type { CallFamily, ParameterRule, ToolRule } from './tool-calls/call-family.js';
import { gbnfText } from './tool-calls/gbnf-text.js';
import { isTextParameter } from './tool-calls/tagged-values.js';

/** Keywords of parameters that are written one by one. */
const LISTING: ReadonlySet<string> = new Set(['type', 'properties', 'required', 'additionalProperties', 'unevaluatedProperties']);
const NO_PARAMETERS = { type: 'object', properties: {}, additionalProperties: false };

/** What calls of some tools leave out of a tool's schema. */
export interface ToolLeftOut {
  readonly tool: string;
  /** JSON pointers into its schema; `/` = all of it. */
  readonly places: readonly string[];
}

/** Calls of some tools in GBNF. */
export interface ToolGrammar {
  /** What an answer of nothing but calls is. */
  readonly whole: string;
  /** What stands behind the mark and the white space with which a call begins. */
  readonly behindOpen: string;
  readonly rules: string;
  /** Assertions that calls are not held to, by tool. */
  readonly leftOut: readonly ToolLeftOut[];
}

/** How calls are to be forced. */
export interface CallWish {
  /** Whether one answer may hold several. */
  readonly many: boolean;
  /** What the request's grammars may take together. */
  readonly budget?: CompileBudget;
}

const ANYTHING = jsonSchemaRules({}, 'any-value-');
const ANY_OBJECT = jsonObjectRules('any-object-');

/** Collects the rules of the tools of one request. */
class ToolRules {
  readonly #texts = new Map<string, string>();
  readonly leftOut: ToolLeftOut[] = [];

  constructor(readonly budget: CompileBudget) {}

  get text(): string {
    return [...this.#texts.values()].join('');
  }

  add({ root, rules }: EmbeddedRules): string {
    this.#texts.set(root, rules);
    return root;
  }

  /**
   * What is made of a tool's schema; `otherwise` where it takes too much and the tool is not strict.
   * @throws ServiceError naming the tool.
   */
  made<T>(tool: Tool, index: number, make: (leftOut: LeftOut) => T, otherwise: () => T): T {
    const leftOut = new LeftOut();
    try {
      const rules = make(leftOut);
      if (leftOut.places.length > 0) this.leftOut.push({ tool: tool.name, places: leftOut.places });
      return rules;
    } catch (error) {
      if (!isServiceError(error)) throw error;
      if (error.code === 'invalid_value' || tool.strict === true) throw naming(tool, index, error);
      this.leftOut.push({ tool: tool.name, places: ['/'] });
      return otherwise();
    }
  }
}

/**
 * The grammar of calls in the words of a family. Arguments follow the schemas of their tools.
 * @throws ServiceError naming the tool whose schema is wrong, or too large for a strict one.
 */
export function toolGrammar(tools: readonly Tool[], family: CallFamily, { many, budget = new CompileBudget() }: CallWish): ToolGrammar {
  const { open, lead, rest, again, rules = '', byParameter } = family.form;
  const book = new ToolRules(budget);
  const made = tools.map((tool, i) => (byParameter ? parameterRules(tool, i, book) : argumentRules(tool, i, book)));
  const head = open + lead === '' ? '' : `${gbnfText(open + lead)} `;
  const more = many && again !== null ? ` (${gbnfText(again + open + lead)} calls)*` : '';
  return {
    whole: `${head}calls${more}`,
    behindOpen: 'calls',
    rules: `${rules}${book.text}calls ::= ${rest(made, many)}\n`,
    leftOut: book.leftOut,
  };
}

/** Arguments are an object, whatever a schema says or does not say of their type. */
const parametersOf = ({ parameters = NO_PARAMETERS }: Tool): Readonly<Record<string, unknown>> => parameters;

function argumentRules(tool: Tool, index: number, book: ToolRules): ToolRule {
  const schema = { type: 'object', ...parametersOf(tool) };
  const held = book.made(
    tool,
    index,
    (leftOut) => jsonSchemaRules(schema, `tool-${index}-`, { leftOut, budget: book.budget }) as EmbeddedRules,
    () => ANY_OBJECT,
  );
  return { tool, args: book.add(held), parameters: [] };
}

function parameterRules(tool: Tool, index: number, book: ToolRules): ToolRule {
  const root = parametersOf(tool);
  const { words, parameters } = book.made(
    tool,
    index,
    (leftOut) => listing(root, book, leftOut),
    () => ({ words: {}, parameters: [] as [string, unknown][] }),
  );
  const needed = namesOf(words, 'required', '#');
  const rules = parameters.map(([name, schema], j): ParameterRule => {
    const parameter = { name, required: needed.includes(name) };
    const prefix = `tool-${index}-p${j}-`;
    const at = within('#', 'properties', name);
    if (isTextParameter(tool, name) === true) {
      const make = (leftOut: LeftOut) => plainTextRules(schema, prefix, { root, at, leftOut, budget: book.budget });
      return {
        ...parameter,
        ...textRule(
          book.made(tool, index, make, () => null),
          book,
        ),
      };
    }
    const make = (leftOut: LeftOut): EmbeddedRules => jsonSchemaRules(schema, prefix, { root, at, leftOut, budget: book.budget });
    return { ...parameter, value: book.add(book.made(tool, index, make, () => ANYTHING)), begins: null };
  });
  return { tool, args: '', parameters: rules };
}

/** The parameters that a schema lists. They are written and held one by one; what is said of them together is left out. */
function listing(
  root: unknown,
  { budget }: ToolRules,
  leftOut: LeftOut,
): { readonly words: Words; readonly parameters: [string, unknown][] } {
  const { words, unions } = new SchemaReader(root, leftOut, budget).flatten(root, '#');
  for (const { at } of unions) leftOut.add(at, '');
  for (const word of Object.keys(words)) if (!LISTING.has(word)) leftOut.add('#', word);
  const parameters = [...schemasOf(words, 'properties', '#')];
  if (namesOf(words, 'required', '#').some((name) => !parameters.some(([listed]) => listed === name))) leftOut.add('#', 'required');
  return { words, parameters };
}

function textRule(text: PlainTextRules | null, book: ToolRules): Pick<ParameterRule, 'value' | 'begins'> {
  if (text === null) return { value: null, begins: null };
  const rule = book.add(text);
  return text.open ? { value: null, begins: rule } : { value: rule, begins: null };
}

function naming(tool: Tool, index: number, { code, message, cause }: ServiceError): ServiceError {
  const param = `tools[${index}].function.parameters`;
  return new ServiceError(code, `The parameters of the tool ${JSON.stringify(tool.name)} cannot be kept: ${message}`, { param, cause });
}
