import type { CanonicalRequest, ServiceError, Tool, ToolChoice } from '@slipway/contracts';
import {
  type Fields,
  fault,
  isAbsent,
  isObject,
  optionalFlag,
  optionalText,
  requireObject,
  requireSchema,
  requireText,
  wrongType,
} from './chat.fault.js';

const MAX_TOOLS = 128;
/** What both public contracts take, and dots, which servers of tools put into their names. */
const TOOL_NAME = /^[A-Za-z0-9_.-]{1,128}$/;
const CHOICE = 'tool_choice';

type ToolFields = Pick<CanonicalRequest, 'tools' | 'tool_choice' | 'parallel_tool_calls'>;

/**
 * The tools of a request and how they may be used.
 * @throws ServiceError naming what is wrong.
 */
export function readTools(body: Fields): ToolFields {
  const tools = readList(body['tools']);
  const parallel = optionalFlag(body['parallel_tool_calls'], 'parallel_tool_calls');
  if (tools.length === 0) {
    refuseChoiceOfNothing(body[CHOICE]);
    return {};
  }
  return { tools, ...readChoice(body[CHOICE], tools), ...(parallel !== undefined && { parallel_tool_calls: parallel }) };
}

function readList(value: unknown): Tool[] {
  if (isAbsent(value)) return [];
  if (!Array.isArray(value)) throw wrongType('tools', 'an array');
  if (value.length > MAX_TOOLS) throw fault('array_above_max_length', 'tools', `'tools' may hold at most ${MAX_TOOLS} tools.`);
  const names = new Set<string>();
  return value.map((entry, i) => {
    const tool = readTool(entry, `tools[${i}]`);
    const param = `tools[${i}].function.name`;
    if (names.has(tool.name)) throw fault('invalid_value', param, `'${param}' is the name of an earlier tool too.`);
    names.add(tool.name);
    return tool;
  });
}

function readTool(value: unknown, at: string): Tool {
  const tool = requireObject(value, at);
  if (tool['type'] !== 'function') throw fault('invalid_value', `${at}.type`, 'Only tools of the type "function" are supported.');
  const param = `${at}.function`;
  const definition = requireObject(tool['function'], param);
  const name = requireText(definition['name'], `${param}.name`);
  if (!TOOL_NAME.test(name)) {
    throw fault('invalid_value', `${param}.name`, `'${param}.name' must be 1 to 128 letters, digits, dots, dashes and underscores.`);
  }
  const description = optionalText(definition['description'], `${param}.description`);
  const strict = optionalFlag(definition['strict'], `${param}.strict`);
  const parameters = readParameters(definition['parameters'], `${param}.parameters`);
  return {
    name,
    ...(description !== undefined && { description }),
    ...(parameters && { parameters }),
    ...(strict !== undefined && { strict }),
  };
}

function readParameters(value: unknown, param: string): Record<string, unknown> | undefined {
  if (isAbsent(value)) return undefined;
  const schema = requireSchema(value, param);
  const { type } = schema;
  if (type !== undefined && type !== 'object') throw fault('invalid_value', `${param}.type`, 'The arguments of a function are an object.');
  return schema;
}

const invalidChoice = (message: string): ServiceError => fault('invalid_value', CHOICE, message);

function refuseChoiceOfNothing(choice: unknown): void {
  if (isAbsent(choice) || choice === 'none' || choice === 'auto') return;
  throw invalidChoice("Without 'tools', 'tool_choice' can only be none or auto.");
}

function readChoice(choice: unknown, tools: readonly Tool[]): Pick<ToolFields, 'tools' | 'tool_choice'> {
  if (isAbsent(choice)) return {};
  if (choice === 'none' || choice === 'auto' || choice === 'required') return { tool_choice: choice };
  const type = isObject(choice) ? choice['type'] : undefined;
  if (isObject(choice) && type === 'function') return { tool_choice: { name: knownName(choice, tools) } };
  if (isObject(choice) && type === 'allowed_tools') return readAllowed(choice['allowed_tools'], tools);
  throw invalidChoice('The choice must be none, auto, required, or an object of the type "function" or "allowed_tools".');
}

function knownName(reference: Fields, tools: readonly Tool[]): string {
  const definition = reference['function'];
  const name = isObject(definition) ? definition['name'] : undefined;
  if (typeof name !== 'string') throw invalidChoice("The choice of a function needs 'function.name'.");
  if (!tools.some((tool) => tool.name === name)) throw invalidChoice("The choice names a function that is not among 'tools'.");
  return name;
}

/** A choice among some of the tools: the model is shown no others. */
function readAllowed(value: unknown, tools: readonly Tool[]): { tools: Tool[]; tool_choice: ToolChoice } {
  const { mode, tools: references } = isObject(value) ? value : {};
  if (mode !== 'auto' && mode !== 'required') throw invalidChoice("'allowed_tools.mode' must be auto or required.");
  if (!Array.isArray(references) || references.length === 0) throw invalidChoice("'allowed_tools.tools' must name at least one tool.");
  const names = new Set(
    references.map((reference: unknown) => {
      if (!isObject(reference) || reference['type'] !== 'function')
        throw invalidChoice('Only tools of the type "function" can be allowed.');
      return knownName(reference, tools);
    }),
  );
  return { tools: tools.filter(({ name }) => names.has(name)), tool_choice: mode };
}
