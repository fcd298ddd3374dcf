import { isRecord, type Tool } from '@slipway/contracts';
import type { CompileBudget } from './grammar/compile-budget.js';
import { type EmbeddedRules, jsonObjectRules, jsonSchemaRules } from './grammar/json-schema-grammar.js';
import { LeftOut } from './grammar/left-out.js';
import { type PlainTextRules, plainTextRules } from './grammar/plain-text-grammar.js';
import { SchemaReader } from './grammar/schema-reader.js';
import { namesOf, schemasOf, within, type Words } from './grammar/schema-words.js';
import { type Trim, trimmed } from './schema-trim.js';
import type { ArgumentStyle, ParameterRule, ToolRule } from './tool-calls/call-family.js';
import { isTextParameter } from './tool-calls/tagged-values.js';

/** Keywords of parameters that are written one by one. */
const LISTING: ReadonlySet<string> = new Set(['type', 'properties', 'required', 'additionalProperties', 'unevaluatedProperties']);
const NO_PARAMETERS = { type: 'object', properties: {}, additionalProperties: false };
const ANYTHING = jsonSchemaRules({}, 'any-value-');
const ANY_TEXT = jsonSchemaRules({ type: 'string' }, 'any-text-');
const ANY_OBJECT = jsonObjectRules('any-object-');

/** A tool in a grammar, with its rules. */
export interface CompiledTool {
  readonly rule: ToolRule;
  /** GBNF by the name of its first rule. */
  readonly texts: ReadonlyMap<string, string>;
  /** JSON pointers to assertions that are not enforced; `/` = the whole schema. */
  readonly leftOut: readonly string[];
}

/** How a tool is compiled. */
export interface ToolCompiling {
  readonly style: ArgumentStyle;
  /** Keywords of its schema to leave out. */
  readonly goes: Trim;
  readonly budget: CompileBudget;
  /** Distinguishes its rules from those of other tools. */
  readonly prefix: string;
}

/** Compiles a tool. @throws ServiceError without `param` for an invalid or too large schema. */
export function compileTool(tool: Tool, how: ToolCompiling): CompiledTool {
  const leftOut = new LeftOut();
  const schema = trimmed(tool.parameters ?? NO_PARAMETERS, how.goes, leftOut) as Record<string, unknown>;
  const texts = new Texts();
  const place = { budget: how.budget, leftOut };
  const rule =
    how.style !== 'object'
      ? { tool, args: '', parameters: parameterRules(tool, schema, texts, { ...place, prefix: how.prefix, style: how.style }) }
      : // Arguments are always an object, whatever the schema's `type`.
        { tool, args: texts.add(jsonSchemaRules({ type: 'object', ...schema }, `${how.prefix}-`, place)), parameters: [] };
  return { rule, texts: texts.all, leftOut: leftOut.places };
}

/** A tool whose schema is not enforced: any object, or any value for each listed parameter. */
export function anyCall(tool: Tool, style: ArgumentStyle): CompiledTool {
  const texts = new Texts();
  const { properties, required } = tool.parameters ?? {};
  const names = style !== 'object' && isRecord(properties) ? Object.keys(properties) : [];
  const parameters = names.map((name): ParameterRule => {
    const isText = isTextParameter(tool, name) === true;
    const value = isText && style === 'texts' ? null : texts.add(isText ? ANY_TEXT : ANYTHING);
    return { name, required: Array.isArray(required) && required.includes(name), isText, value, begins: null };
  });
  return { rule: { tool, args: style !== 'object' ? '' : texts.add(ANY_OBJECT), parameters }, texts: texts.all, leftOut: ['/'] };
}

class Texts {
  readonly all = new Map<string, string>();

  add({ root, rules }: EmbeddedRules): string {
    this.all.set(root, rules);
    return root;
  }
}

interface ParameterPlace {
  readonly budget: CompileBudget;
  readonly leftOut: LeftOut;
  readonly prefix: string;
  readonly style: ArgumentStyle;
}

function parameterRules(tool: Tool, root: Words, texts: Texts, { prefix, style, ...place }: ParameterPlace): readonly ParameterRule[] {
  const { words, parameters } = listing(root, place);
  const needed = namesOf(words, 'required', '#');
  return parameters.map(([name, schema], j): ParameterRule => {
    const isText = isTextParameter(tool, name) === true;
    const parameter = { name, required: needed.includes(name), isText };
    const where = { ...place, root, at: within('#', 'properties', name) };
    const rules = `${prefix}-p${j}-`;
    if (isText && style === 'texts') return { ...parameter, ...textRule(plainTextRules(schema, rules, where), texts) };
    return { ...parameter, value: texts.add(jsonSchemaRules(schema, rules, where)), begins: null };
  });
}

/** The listed parameters of a schema, enforced one by one. Assertions about all of them together are left out. */
function listing(
  root: unknown,
  { budget, leftOut }: Omit<ParameterPlace, 'prefix' | 'style'>,
): { readonly words: Words; readonly parameters: [string, unknown][] } {
  const { words, unions } = new SchemaReader(root, leftOut, budget).flatten(root, '#');
  for (const { at } of unions) leftOut.add(at, '');
  for (const word of Object.keys(words)) if (!LISTING.has(word)) leftOut.add('#', word);
  const parameters = [...schemasOf(words, 'properties', '#')];
  if (namesOf(words, 'required', '#').some((name) => !parameters.some(([listed]) => listed === name))) leftOut.add('#', 'required');
  return { words, parameters };
}

function textRule(text: PlainTextRules | null, texts: Texts): Pick<ParameterRule, 'value' | 'begins'> {
  if (text === null) return { value: null, begins: null };
  const rule = texts.add(text);
  return text.open ? { value: null, begins: rule } : { value: rule, begins: null };
}
