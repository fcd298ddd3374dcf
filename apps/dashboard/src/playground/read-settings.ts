import type { Faults, Parameter, Settings, Tool, Wishes } from './settings.js';

type NumberField = 'temperature' | 'topP' | 'maxTokens' | 'seed';
interface Bounds {
  readonly min: number;
  readonly max: number;
  readonly whole: boolean;
}

/** Values that requests may have. */
const BOUNDS: Readonly<Record<NumberField, Bounds>> = {
  temperature: { min: 0, max: 2, whole: false },
  topP: { min: 0, max: 1, whole: false },
  maxTokens: { min: 1, max: Number.MAX_SAFE_INTEGER, whole: true },
  seed: { min: 0, max: Number.MAX_SAFE_INTEGER, whole: true },
};
const STOPS_MAX = 4;

/** Reads fields one by one and notes what is wrong with them. */
class Reader {
  readonly faults: Faults = {};

  constructor(private readonly settings: Settings) {}

  number(field: NumberField): number | undefined {
    const { min, max, whole } = BOUNDS[field];
    const value = this.settings[field];
    if (value === null) return undefined;
    if (value >= min && value <= max && (!whole || Number.isSafeInteger(value))) return value;
    const bounds = max === Number.MAX_SAFE_INTEGER ? `of at least ${min}` : `from ${min} to ${max}`;
    this.faults[field] = `Enter a ${whole ? 'whole ' : ''}number ${bounds}.`;
    return undefined;
  }

  stop(): readonly string[] | undefined {
    const stop = this.settings.stop.split('\n').filter((line) => line !== '');
    if (stop.length > STOPS_MAX) this.faults.stop = `At most ${STOPS_MAX} stop sequences.`;
    return stop.length === 0 ? undefined : stop;
  }

  json(field: 'schema' | 'tools'): unknown {
    try {
      return JSON.parse(this.settings[field]) as unknown;
    } catch (error) {
      this.faults[field] = `Not valid JSON: ${error instanceof Error ? error.message : ''}`;
      return undefined;
    }
  }

  schema(): object | undefined {
    const schema = this.json('schema');
    if (isObject(schema)) return schema;
    this.faults.schema ??= 'A JSON schema is an object: start with {.';
    return undefined;
  }

  tools(): readonly Tool[] | undefined {
    if (this.settings.tools.trim() === '') return undefined;
    const list = this.json('tools');
    if (list === undefined) return undefined;
    const tools = (Array.isArray(list) ? list : [list]).map(toolOf);
    if (tools.every((tool) => tool !== null)) return tools;
    this.faults.tools = 'Enter a list of tools, each with a name, a description and parameters.';
    return undefined;
  }
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value);

/** A tool in the form of any contract, or bare; null for anything else. */
function toolOf(written: unknown): Tool | null {
  if (!isObject(written)) return null;
  const tool = isObject(written['function']) ? written['function'] : written;
  const { name, description, parameters, input_schema: input } = tool;
  const schema = parameters ?? input ?? { type: 'object', properties: {} };
  if (typeof name !== 'string' || name === '' || !isObject(schema)) return null;
  return { name, description: typeof description === 'string' ? description : undefined, parameters: schema };
}

/** Lets absent values stay absent. */
function present<T extends object>(fields: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>;
  };
}

/**
 * What the settings ask for, as far as every deployment can: what cannot be set is not asked for.
 * @param can whether a parameter may be set
 */
export function readSettings(
  settings: Settings,
  can: (parameter: Parameter) => boolean,
): { readonly wishes: Wishes; readonly faults: Faults } {
  const reader = new Reader(settings);
  const wishes = present({
    system: settings.system.trim() === '' ? undefined : settings.system,
    temperature: reader.number('temperature'),
    topP: reader.number('topP'),
    maxTokens: reader.number('maxTokens'),
    seed: can('seed') ? reader.number('seed') : undefined,
    stop: can('stop') ? reader.stop() : undefined,
    form: formOf(settings, can, reader),
    ...toolsOf(settings, can, reader),
    reasoning: settings.reasoning === 'default' || !can('reasoning') ? undefined : settings.reasoning,
  });
  return { wishes, faults: reader.faults };
}

type Can = (parameter: Parameter) => boolean;

function formOf({ form }: Settings, can: Can, reader: Reader): Wishes['form'] | undefined {
  if (form === 'text' || !can(form)) return undefined;
  if (form === 'json_object') return { schema: null };
  const schema = reader.schema();
  return schema && { schema };
}

function toolsOf({ toolChoice }: Settings, can: Can, reader: Reader): { tools?: readonly Tool[]; toolChoice?: 'required' | 'none' } {
  const tools = can('tools') ? reader.tools() : undefined;
  if (tools === undefined) return {};
  const isForced = toolChoice === 'none' || (toolChoice === 'required' && can('tool_choice'));
  return isForced ? { tools, toolChoice } : { tools };
}
