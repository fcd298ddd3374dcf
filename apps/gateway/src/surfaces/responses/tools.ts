import { createHash } from 'node:crypto';
import type { CanonicalRequest, Tool, ToolChoice } from '@slipway/contracts';
import { z } from 'zod';
import { fault } from '../shared/error-object.js';
import { isAbsent, type JsonObject, noted, type Present, type UnknownOption } from '../shared/faults.js';
import { jsonSchema, toolName } from '../shared/fields.js';

const MAX_TOOLS = 1_000;
const MAX_GRAMMAR_CHARS = 64 * 1024;
/** Longest name of a tool that every engine takes. */
const NAME_CHARS_MAX = 64;
const HASH_CHARS = 8;

const flag = z.boolean().nullish();
const description = z.string().nullish();

const FunctionTool = z.object({
  type: z.literal('function'),
  name: toolName,
  description,
  strict: flag.meta({ description: 'Calls are held to the schema where the engine can. Default false.' }),
  parameters: jsonSchema({
    type: noted(z.literal('object'), { absent: 'never', says: 'The arguments of a function are an object.' }).optional(),
  })
    .nullish()
    .meta({ description: 'A JSON schema of the type `object`.' }),
});
const CustomTool = z.object({
  type: z.literal('custom'),
  name: toolName,
  description,
  format: z
    .discriminatedUnion('type', [
      z.object({ type: z.literal('text') }),
      z.object({ type: z.literal('grammar'), syntax: z.enum(['lark', 'regex']), definition: z.string().max(MAX_GRAMMAR_CHARS) }),
    ])
    .nullish()
    .meta({ description: 'The model is shown a grammar; it is not enforced.' }),
});

/** Tools that a client offers without being asked to, and that do nothing here. */
const LEFT_OUT = [
  ...['web_search', 'web_search_2025_08_26', 'web_search_preview', 'web_search_preview_2025_03_11'],
  ...['image_generation', 'tool_search'],
] as const;
/** Tools of the contract's own service. */
const HOSTED = /^(file_search|code_interpreter|computer[a-z_0-9]*|mcp|local_shell|shell|apply_patch|programmatic_tool_calling)$/;

function unknownTool({ type }: JsonObject): UnknownOption | undefined {
  if (typeof type !== 'string' || !HOSTED.test(type)) return undefined;
  return { code: 'unsupported_value', says: `'${type}' would run on the server; offer a function instead.` };
}

const NamespaceTool = z.object({
  type: z.literal('namespace'),
  name: toolName,
  description,
  tools: z.array(noted(z.discriminatedUnion('type', [FunctionTool, CustomTool]), { unknownOption: unknownTool })).max(MAX_TOOLS),
});
const ResponseTool = noted(
  z
    .discriminatedUnion('type', [FunctionTool, CustomTool, NamespaceTool, z.looseObject({ type: z.enum(LEFT_OUT) })])
    .meta({ id: 'ResponseTool' }),
  { unknownOption: unknownTool },
);

const named = (type: 'function' | 'custom') => z.object({ type: z.literal(type), name: z.string(), namespace: z.string().nullish() });
const allowed = z.object({
  type: z.literal('allowed_tools'),
  mode: z.enum(['auto', 'required']),
  tools: z
    .array(z.looseObject({ type: z.string() }))
    .min(1)
    .max(MAX_TOOLS),
});

/** The tools of a request and how they may be used. */
export const ResponsesTools = z.object({
  tools: z.array(ResponseTool).max(MAX_TOOLS).nullish(),
  parallel_tool_calls: flag.meta({ description: 'False: one call at most.' }),
  tool_choice: noted(
    z.union([z.enum(['none', 'auto', 'required']), z.discriminatedUnion('type', [named('function'), named('custom'), allowed])]),
    {
      whole: true,
      code: 'invalid_value',
      expected: 'none, auto, required, or an object of the type "function", "custom" or "allowed_tools" that names tools of the request',
    },
  ).nullish(),
});
type Fields = Present<z.output<typeof ResponsesTools>>;
type Given = NonNullable<Fields['tools']>[number];
type Callable = z.output<typeof FunctionTool> | z.output<typeof CustomTool>;

/** How a tool appears in an answer. */
export interface ToolFace {
  readonly kind: 'function' | 'custom';
  readonly name: string;
  readonly namespace: string | undefined;
}

/** The tools for the engine, and what becomes of its calls. */
export interface ReadTools {
  readonly fields: Pick<CanonicalRequest, 'tools' | 'tool_choice' | 'parallel_tool_calls'>;
  /** From the engine's name of a tool. */
  readonly faces: ReadonlyMap<string, ToolFace>;
  /** Positions of tools that are left out. */
  readonly ignored: readonly number[];
  /** The engine's name of a tool in an earlier call. */
  readonly engineName: (name: string, namespace: string | null | undefined) => string;
}

/**
 * Converts the tools of a request and their choice.
 * @throws ServiceError for two tools of one name, and for a choice of an unknown tool.
 */
export function readTools({ tools: given = [], tool_choice: choice, parallel_tool_calls: parallel }: Fields): ReadTools {
  const table = new ToolTable();
  const ignored: number[] = [];
  for (const [i, tool] of given.entries()) {
    if (!isOffered(tool)) ignored.push(i);
    else if (tool.type !== 'namespace') table.add(tool, undefined, `tools[${i}]`);
    else for (const [k, inner] of tool.tools.entries()) table.add(inner, tool.name, `tools[${i}].tools[${k}]`);
  }
  const { tools, faces } = table;
  const engineName = table.engineName.bind(table);
  if (tools.length > 0) {
    const fields = { tools, ...choiceOf(choice, table), ...(parallel !== undefined && { parallel_tool_calls: parallel }) };
    return { fields, faces, ignored, engineName };
  }
  if (choice === undefined || choice === 'none' || choice === 'auto') return { fields: {}, faces, ignored, engineName };
  throw fault('invalid_value', 'tool_choice', "Without 'tools', 'tool_choice' can only be none or auto.");
}

const isOffered = (tool: Given): tool is Exclude<Given, { type: (typeof LEFT_OUT)[number] }> =>
  !(LEFT_OUT as readonly string[]).includes(tool.type);

/** The tools of a request under the names that engines get. */
class ToolTable {
  readonly tools: Tool[] = [];
  readonly faces = new Map<string, ToolFace>();
  /** From namespace and name to the engine's name. */
  readonly #names = new Map<string, string>();

  add(tool: Callable, namespace: string | undefined, at: string): void {
    const key = keyOf(tool.name, namespace);
    if (this.#names.has(key)) throw fault('invalid_value', `${at}.name`, `'${at}.name' is the name of an earlier tool too.`);
    const usual = usualName(tool.name, namespace);
    const name = this.faces.has(usual) ? hashedName(tool.name, namespace) : usual;
    this.#names.set(key, name);
    this.faces.set(name, { kind: tool.type, name: tool.name, namespace });
    this.tools.push({ ...(tool.type === 'custom' ? customTool(tool) : functionTool(tool)), name });
  }

  /** The engine's name of a tool, which need not be among those of the request. */
  engineName(name: string, namespace: string | null | undefined): string {
    return this.#names.get(keyOf(name, namespace)) ?? usualName(name, namespace);
  }

  /** The engine's name of a tool of the request. Without a namespace, a name that only one namespace has is enough. */
  find(name: string, namespace: string | null | undefined): string | undefined {
    const exact = this.#names.get(keyOf(name, namespace));
    if (exact !== undefined || !isAbsent(namespace)) return exact;
    const found = [...this.faces].filter(([, face]) => face.name === name);
    return found.length === 1 ? found[0]?.[0] : undefined;
  }

  /** The engine's names of all tools of a namespace. */
  inNamespace(namespace: string): string[] {
    return [...this.faces].flatMap(([name, face]) => (face.namespace === namespace ? [name] : []));
  }
}

const keyOf = (name: string, namespace: string | null | undefined): string => JSON.stringify([namespace ?? null, name]);

function usualName(name: string, namespace: string | null | undefined): string {
  if (isAbsent(namespace) || namespace === '') return name;
  const joined = `${namespace}__${name}`;
  return joined.length > NAME_CHARS_MAX ? hashedName(name, namespace) : joined;
}

/** A short name that no other tool of the request has. */
function hashedName(name: string, namespace: string | null | undefined): string {
  const hash = createHash('sha256').update(keyOf(name, namespace)).digest('hex').slice(0, HASH_CHARS);
  return `${`${namespace ?? ''}__${name}`.slice(0, NAME_CHARS_MAX - HASH_CHARS - 1)}_${hash}`;
}

function functionTool({ description: text, strict, parameters }: z.output<typeof FunctionTool>): Omit<Tool, 'name'> {
  const { $schema: _dialect, ...schema } = parameters ?? {};
  return {
    ...(!isAbsent(text) && { description: text }),
    ...(!isAbsent(parameters) && { parameters: schema }),
    ...(strict === true && { strict }),
  };
}

/** A custom tool as a function with one string. Engines read other grammars, so this one is only described. */
function customTool({ description: text, format }: z.output<typeof CustomTool>): Omit<Tool, 'name'> {
  const grammar = format?.type === 'grammar' ? `The input must follow this ${format.syntax} grammar:\n${format.definition}` : undefined;
  const described = [text, grammar].filter((one) => !isAbsent(one) && one !== '').join('\n\n');
  return {
    ...(described !== '' && { description: described }),
    parameters: { type: 'object', properties: { input: { type: 'string' } }, required: ['input'], additionalProperties: false },
  };
}

const unknownChoice = () => fault('invalid_value', 'tool_choice', "The choice names a tool that is not among 'tools'.");

function choiceOf(choice: Fields['tool_choice'], table: ToolTable): { tools?: Tool[]; tool_choice?: ToolChoice } {
  if (choice === undefined) return {};
  if (typeof choice === 'string') return { tool_choice: choice };
  if (choice.type !== 'allowed_tools') {
    const name = table.find(choice.name, choice.namespace);
    if (name === undefined) throw unknownChoice();
    return { tool_choice: { name } };
  }
  const names = new Set(choice.tools.flatMap((tool) => namesOf(tool, table)));
  const shown = table.tools.filter(({ name }) => names.has(name));
  if (shown.length === 0) throw unknownChoice();
  // Tools that are not allowed are hidden from the model.
  return { tools: shown, tool_choice: choice.mode };
}

/** The engine's names of an allowed tool; tools that are left out have none. */
function namesOf(tool: JsonObject, table: ToolTable): string[] {
  const { type, name, namespace } = tool;
  if ((LEFT_OUT as readonly unknown[]).includes(type)) return [];
  if (typeof name !== 'string') throw unknownChoice();
  if (type === 'namespace') return table.inNamespace(name);
  const found = table.find(name, typeof namespace === 'string' ? namespace : undefined);
  if (found === undefined) throw unknownChoice();
  return [found];
}
