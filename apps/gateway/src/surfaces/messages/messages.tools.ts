import type { Tool } from '@slipway/contracts';
import { fault } from './messages.fault.js';
import {
  type Fields,
  isAbsent,
  optionalFlag,
  optionalText,
  requireArray,
  requireObject,
  requireSchema,
  requireText,
} from './messages.fields.js';

const MAX_TOOLS = 1_000;
/** What the contract takes, and dots, which servers of tools put into their names. */
const TOOL_NAME = /^[A-Za-z0-9_.-]{1,128}$/;

/**
 * The tools that a model is shown. Those whose loading is deferred stay out until a result has made them known.
 * @throws ServiceError naming what is wrong.
 */
export function readTools(value: unknown, knownTools: ReadonlySet<string>): Tool[] {
  if (isAbsent(value)) return [];
  const entries = requireArray(value, 'tools');
  if (entries.length > MAX_TOOLS) throw fault('array_above_max_length', 'tools', `At most ${MAX_TOOLS} tools can be offered.`);
  const names = new Set<string>();
  return entries.flatMap((entry, i) => {
    const at = `tools.${i}`;
    const fields = requireObject(entry, at);
    const tool = readTool(fields, at);
    if (names.has(tool.name)) throw fault('invalid_value', `${at}.name`, 'An earlier tool has the same name.');
    names.add(tool.name);
    const isDeferred = optionalFlag(fields['defer_loading'], `${at}.defer_loading`) === true;
    return isDeferred && !knownTools.has(tool.name) ? [] : [tool];
  });
}

function readTool(fields: Fields, at: string): Tool {
  const type = optionalText(fields['type'], `${at}.type`) ?? 'custom';
  if (type !== 'custom') throw fault('unsupported_value', `${at}.type`, 'Only custom tools can be called.');
  const name = requireText(fields['name'], `${at}.name`);
  if (!TOOL_NAME.test(name)) throw fault('invalid_value', `${at}.name`, 'Expected 1 to 128 letters, digits, dots, dashes and underscores.');
  const description = optionalText(fields['description'], `${at}.description`);
  const strict = optionalFlag(fields['strict'], `${at}.strict`);
  return {
    name,
    ...(description !== undefined && { description }),
    parameters: readInputSchema(fields['input_schema'], `${at}.input_schema`),
    ...(strict !== undefined && { strict }),
  };
}

/** Without what speaks to other readers than the model. */
function readInputSchema(value: unknown, at: string): Record<string, unknown> {
  const { $schema: _dialect, cache_control: _cache, ...schema } = requireSchema(value, at);
  if (requireText(schema['type'], `${at}.type`) !== 'object') throw fault('invalid_value', `${at}.type`, 'Expected object.');
  return schema;
}
