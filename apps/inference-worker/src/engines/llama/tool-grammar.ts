import { isServiceError, ServiceError, type Tool } from '@slipway/contracts';
import { type EmbeddedRules, jsonObjectRules, jsonSchemaRules } from './grammar/json-schema-grammar.js';
import { type PlainTextRules, plainTextRules } from './grammar/plain-text-grammar.js';
import { assertions, unsupportedSchema, within } from './grammar/schema-words.js';
import type { CallFamily, ParameterRule, ToolRule } from './tool-calls/call-family.js';
import { gbnfText } from './tool-calls/gbnf-text.js';
import { isTextParameter } from './tool-calls/tagged-values.js';

/** Keywords of parameters that are written one by one. */
const LISTING: ReadonlySet<string> = new Set(['type', 'properties', 'required', 'additionalProperties', 'nullable']);
const NO_PARAMETERS = { type: 'object', properties: {}, additionalProperties: false };

/** Calls of some tools in GBNF. */
export interface ToolGrammar {
  /** What an answer of nothing but calls is. */
  readonly whole: string;
  /** What stands behind the mark and the white space with which a call begins. */
  readonly behindOpen: string;
  readonly rules: string;
}

/** How calls are to be forced. */
export interface CallWish {
  /** Whether one answer may hold several. */
  readonly many: boolean;
  /** Whether arguments are held to their schemas also where the tool is not strict. */
  readonly bySchema: boolean;
}

/** Schemas of tools that are not strict, in characters of JSON; what is beyond is held to any object, since it would take seconds. */
const FREELY_HELD_CHARS = 8_192;
const ANYTHING = jsonSchemaRules({}, 'any-value-');
const ANY_OBJECT = jsonObjectRules('any-object-');

/** Collects the rules of the tools of one request. */
class ToolRules {
  readonly #texts = new Map<string, string>();
  #heldChars = 0;

  constructor(private readonly bySchema: boolean) {}

  get text(): string {
    return [...this.#texts.values()].join('');
  }

  add({ root, rules }: EmbeddedRules): string {
    this.#texts.set(root, rules);
    return root;
  }

  /** Whether a tool's arguments are held to its schema. */
  holds({ strict, parameters = NO_PARAMETERS }: Tool): boolean {
    if (strict === true) return true;
    if (!this.bySchema) return false;
    this.#heldChars += JSON.stringify(parameters).length;
    return this.#heldChars <= FREELY_HELD_CHARS;
  }
}

/**
 * The grammar of calls in the words of a family.
 * @throws ServiceError naming the tool whose arguments must be forced and cannot be.
 */
export function toolGrammar(tools: readonly Tool[], family: CallFamily, { many, bySchema }: CallWish): ToolGrammar {
  const { open, lead, rest, again, rules = '', byParameter } = family.form;
  const book = new ToolRules(bySchema);
  const made = tools.map((tool, i) => (byParameter ? parameterRules(tool, i, book) : argumentRules(tool, i, book)));
  const head = open + lead === '' ? '' : `${gbnfText(open + lead)} `;
  const more = many && again !== null ? ` (${gbnfText(again + open + lead)} calls)*` : '';
  return { whole: `${head}calls${more}`, behindOpen: 'calls', rules: `${rules}${book.text}calls ::= ${rest(made, many)}\n` };
}

function argumentRules(tool: Tool, index: number, book: ToolRules): ToolRule {
  const held = book.holds(tool) && forced(tool, index, () => jsonSchemaRules(tool.parameters ?? NO_PARAMETERS, `tool-${index}-`));
  return { tool, args: book.add(held || ANY_OBJECT), parameters: [] };
}

function parameterRules(tool: Tool, index: number, book: ToolRules): ToolRule {
  const { properties, required, $defs, definitions } = (tool.parameters ?? NO_PARAMETERS) as Readonly<Record<string, unknown>>;
  const needed = Array.isArray(required) ? required : [];
  const schemas = typeof properties === 'object' && properties !== null ? Object.entries(properties) : [];
  const holds = book.holds(tool);
  if (holds) forced(tool, index, () => assertListed(tool.parameters ?? NO_PARAMETERS, schemas, needed));
  const parameters = schemas.map(([name, schema], j): ParameterRule => {
    const parameter = { name, required: needed.includes(name) };
    const prefix = `tool-${index}-p${j}-`;
    if (isTextParameter(tool, name) === true) {
      const place = within('#', 'properties', name);
      const textOf = (words: unknown) => forced(tool, index, () => plainTextRules(words, prefix, place));
      // Listed texts are held also where nothing else is.
      const text = (holds ? textOf(schema) : null) ?? textOf(listedIn(schema));
      return { ...parameter, ...textRule(text, book) };
    }
    const self = { ...(schema as object), ...($defs !== undefined && { $defs }), ...(definitions !== undefined && { definitions }) };
    const held = holds && forced(tool, index, () => jsonSchemaRules(self, prefix));
    return { ...parameter, value: book.add(held || ANYTHING), begins: null };
  });
  return { tool, args: '', parameters };
}

function textRule(text: PlainTextRules | null, book: ToolRules): Pick<ParameterRule, 'value' | 'begins'> {
  if (text === null) return { value: null, begins: null };
  const rule = book.add(text);
  return text.open ? { value: null, begins: rule } : { value: rule, begins: null };
}

/** Parameters that are written one by one are held one by one. */
function assertListed(schema: Readonly<Record<string, unknown>>, schemas: readonly [string, unknown][], needed: readonly unknown[]): null {
  const other = Object.keys(assertions(schema, '#')).find((word) => !LISTING.has(word));
  if (other !== undefined) throw unsupportedSchema(`The schema keyword "${other}" (at #) is not supported in this model's calls.`);
  const unlisted = needed.find((name) => !schemas.some(([listed]) => listed === name));
  if (unlisted === undefined) return null;
  throw unsupportedSchema(`"required" (at #) names ${JSON.stringify(unlisted)}, which is not among the "properties".`);
}

/** The values that a schema lists, and nothing else of it. */
function listedIn(schema: unknown): object {
  const { enum: listed, const: only } = schema as { enum?: unknown; const?: unknown };
  return { ...(listed !== undefined && { enum: listed }), ...(only !== undefined && { const: only }) };
}

/** Null where the schema cannot be forced and need not be. */
function forced<T extends EmbeddedRules | null>(tool: Tool, index: number, make: () => T): T | null {
  try {
    return make();
  } catch (error) {
    if (!isServiceError(error)) throw error;
    if (tool.strict !== true) return null;
    const param = `tools[${index}].function.parameters`;
    throw new ServiceError(error.code, `The parameters of the strict tool ${JSON.stringify(tool.name)} cannot be kept: ${error.message}`, {
      param,
    });
  }
}
