import type { ToolCall } from '@slipway/contracts';
import { isTooDeep } from '../../http/parse-json.js';
import { type Fields, fault, isAbsent, isObject, missing, requireObject, requireText, wrongType } from './chat.fault.js';

const MAX_CALLS = 128;
const CALLS = 'tool_calls';

/**
 * The calls of an assistant's message in the history; undefined where there are none.
 * @param at the message's name in the request.
 * @throws ServiceError naming what is wrong.
 */
export function readCalls(message: Fields, at: string): ToolCall[] | undefined {
  const calls = message[CALLS];
  const param = `${at}.${CALLS}`;
  if (!isAbsent(message['function_call'])) {
    throw fault('unsupported_content', `${at}.function_call`, 'Function calls were replaced by tools and are not supported.');
  }
  if (isAbsent(calls)) return undefined;
  if (!Array.isArray(calls)) throw wrongType(param, 'an array');
  if (calls.length > MAX_CALLS) throw fault('array_above_max_length', param, `'${param}' may hold at most ${MAX_CALLS} calls.`);
  return calls.length === 0 ? undefined : calls.map((call, i) => readCall(call, `${param}[${i}]`));
}

function readCall(value: unknown, at: string): ToolCall {
  const call = requireObject(value, at);
  const { id, type } = call;
  if (!isAbsent(type) && type !== 'function') {
    throw fault('unsupported_content', `${at}.type`, 'Only calls of the type "function" are supported.');
  }
  const definition = requireObject(call['function'], `${at}.function`);
  return {
    id: filled(id, `${at}.id`),
    name: filled(definition['name'], `${at}.function.name`),
    arguments: readArguments(definition['arguments'], `${at}.function.arguments`),
  };
}

function filled(value: unknown, param: string): string {
  const text = requireText(value, param);
  if (text === '') throw missing(param);
  return text;
}

/**
 * JSON text of an object. Nothing, which models say for a call without arguments, and the object itself, which some clients
 * send, are put right; anything else would be refused or read differently by each engine.
 */
function readArguments(value: unknown, param: string): string {
  if (isAbsent(value)) return '{}';
  if (isObject(value)) return JSON.stringify(value);
  const text = requireText(value, param);
  if (text.trim() === '') return '{}';
  const object = parsed(text);
  if (!isObject(object)) {
    throw fault(
      'invalid_value',
      param,
      `'${param}' is not the JSON text of an object; send the call without its broken arguments, as "{}".`,
    );
  }
  if (isTooDeep(object)) throw fault('json_too_deep', param, `'${param}' is nested deeper than a request may be.`);
  return text;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
