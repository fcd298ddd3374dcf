import { isServiceError, ServiceError, type Tool } from '@slipway/contracts';
import { type EmbeddedRules, jsonObjectRules, jsonSchemaRules } from './grammar/json-schema-grammar.js';
import type { CallFamily, ParameterRule, ToolRule } from './tool-calls/call-family.js';
import { gbnfText } from './tool-calls/gbnf-text.js';
import { isTextParameter } from './tool-calls/tagged-values.js';

const NO_PARAMETERS = { type: 'object', properties: {}, additionalProperties: false };

/** Calls of some tools in GBNF. */
export interface ToolGrammar {
  /** What an answer of nothing but calls is. */
  readonly whole: string;
  /** What stands behind the mark and the white space with which a call begins. */
  readonly behindOpen: string;
  readonly rules: string;
}

/**
 * The grammar of calls in the words of a family.
 * @param many whether one answer may hold several.
 * @throws ServiceError naming the tool whose arguments must be forced and cannot be.
 */
export function toolGrammar(tools: readonly Tool[], family: CallFamily, many: boolean): ToolGrammar {
  const { open, lead, rest, again, rules = '', byParameter } = family.form;
  const texts: string[] = [rules];
  const made = tools.map((tool, i) => (byParameter ? parameterRules(tool, i, texts) : argumentRules(tool, i, texts)));
  texts.push(`calls ::= ${rest(made, many)}\n`);
  const head = open + lead === '' ? '' : `${gbnfText(open + lead)} `;
  const one = `${head}calls`;
  const more = many && again !== null ? ` (${gbnfText(again + open + lead)} calls)*` : '';
  return { whole: one + more, behindOpen: 'calls', rules: texts.join('') };
}

function argumentRules(tool: Tool, index: number, texts: string[]): ToolRule {
  const prefix = `tool-${index}-`;
  const { root, rules } = forced(tool, index, () => jsonSchemaRules(tool.parameters ?? NO_PARAMETERS, prefix)) ?? jsonObjectRules(prefix);
  texts.push(rules);
  return { tool, args: root, parameters: [] };
}

function parameterRules(tool: Tool, index: number, texts: string[]): ToolRule {
  const { properties, required, $defs, definitions } = (tool.parameters ?? NO_PARAMETERS) as Readonly<Record<string, unknown>>;
  const needed = Array.isArray(required) ? required : [];
  const schemas = typeof properties === 'object' && properties !== null ? Object.entries(properties) : [];
  const parameters = schemas.map(([name, schema], j): ParameterRule => {
    const parameter = { name, required: needed.includes(name) };
    const prefix = `tool-${index}-p${j}-`;
    const options = optionsOf(schema);
    if (options) texts.push(`${prefix}root ::= ${options.map(gbnfText).join(' | ')}\n`);
    if (options) return { ...parameter, value: `${prefix}root` };
    if (isTextParameter(tool, name) === true) return { ...parameter, value: null };
    const self = { ...(schema as object), ...($defs !== undefined && { $defs }), ...(definitions !== undefined && { definitions }) };
    const { root, rules } = forced(tool, index, () => jsonSchemaRules(self, prefix)) ?? jsonSchemaRules({}, prefix);
    texts.push(rules);
    return { ...parameter, value: root };
  });
  return { tool, args: '', parameters };
}

function optionsOf(schema: unknown): readonly string[] | null {
  const { enum: options } = (schema ?? {}) as { enum?: unknown };
  return Array.isArray(options) && options.length > 0 && options.every((option) => typeof option === 'string') ? options : null;
}

/** Null where the schema cannot be forced and need not be. */
function forced(tool: Tool, index: number, make: () => EmbeddedRules): EmbeddedRules | null {
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
