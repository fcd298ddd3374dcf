import type { ToolCall } from '@slipway/contracts';
import { fault } from '../messages.fault.js';
import { isAbsent, requireObject, requireText } from '../messages.fields.js';
import type { Block } from './block.js';

/** A call that the model made in an earlier turn. Its id is whatever it was. @throws ServiceError naming what is wrong. */
export function readToolUse({ fields, at }: Block): ToolCall {
  const id = named(fields['id'], `${at}.id`);
  const name = named(fields['name'], `${at}.name`);
  const input = isAbsent(fields['input']) ? {} : requireObject(fields['input'], `${at}.input`);
  return { id, name, arguments: JSON.stringify(input) };
}

function named(value: unknown, at: string): string {
  const text = requireText(value, at);
  if (text === '' || text.includes('\u0000')) throw fault('invalid_value', at, 'Must be neither empty nor hold a NUL.');
  return text;
}
