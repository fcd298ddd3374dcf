import type { CanonicalRequest, Tool, ToolChoice } from '@slipway/contracts';
import { fault } from './messages.fault.js';
import { type Fields, isAbsent, optionalFlag, requireObject, requireText } from './messages.fields.js';

type ChoiceFields = Pick<CanonicalRequest, 'tool_choice' | 'parallel_tool_calls'>;

const CHOICE = 'tool_choice';

/**
 * How the model may use the tools that it is shown.
 * @throws ServiceError naming what is wrong, and for a call that is required of no tool.
 */
export function readToolChoice(value: unknown, tools: readonly Tool[]): ChoiceFields {
  if (isAbsent(value)) return {};
  const choice = requireObject(value, CHOICE);
  const wanted = choiceOf(choice, tools);
  const oneCall = optionalFlag(choice['disable_parallel_tool_use'], `${CHOICE}.disable_parallel_tool_use`) === true;
  if (tools.length === 0) return {};
  return { tool_choice: wanted, ...(oneCall && { parallel_tool_calls: false }) };
}

function choiceOf(choice: Fields, tools: readonly Tool[]): ToolChoice {
  const type = requireText(choice['type'], `${CHOICE}.type`);
  if (type === 'auto' || type === 'none') return type;
  if (type !== 'any' && type !== 'tool') throw fault('invalid_value', `${CHOICE}.type`, 'Expected auto, any, tool or none.');
  if (tools.length === 0) throw fault('invalid_value', CHOICE, 'Without tools that the model is shown, only auto and none make sense.');
  if (type === 'any') return 'required';
  const name = requireText(choice['name'], `${CHOICE}.name`);
  if (!tools.some((tool) => tool.name === name)) throw fault('invalid_value', `${CHOICE}.name`, 'The model is shown no tool of this name.');
  return { name };
}
