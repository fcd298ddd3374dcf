import { isRecord } from '@slipway/contracts';
import { isTooDeep } from '../../http/json-guard.js';
import { fault } from './error-object.js';
import { isAbsent, type JsonObject } from './faults.js';

/**
 * The JSON text of a call's arguments. Empty text, as models write it, becomes `{}`, and an object becomes its JSON. Anything
 * else fails, since engines would reject it or read it differently.
 */
export function callArguments(given: string | JsonObject | null | undefined, param: string): string {
  if (isAbsent(given)) return '{}';
  if (typeof given !== 'string') return JSON.stringify(given);
  if (given.trim() === '') return '{}';
  const object = parsed(given);
  if (!isRecord(object)) {
    throw fault(
      'invalid_value',
      param,
      `'${param}' is not the JSON text of an object; send the call without its broken arguments, as "{}".`,
    );
  }
  if (isTooDeep(object)) throw fault('json_too_deep', param, `'${param}' is nested deeper than a request may be.`);
  return given;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
