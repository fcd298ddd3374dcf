import type { OutputFormat } from '@slipway/contracts';
import { fault } from './messages.fault.js';
import { type Fields, isAbsent, isObject, requireObject, requireSchema, requireText } from './messages.fields.js';

/** The wish for a form of the answer, and the name of the field that holds it: `output_format` is an older spelling. */
interface FormatField {
  readonly value: unknown;
  readonly at: 'output_config.format' | 'output_format';
}

/** Where a request asks for a form, if it does. */
export function formatField({ output_config: config, output_format: older }: Fields): FormatField | null {
  const value = isObject(config) ? config['format'] : undefined;
  if (!isAbsent(value)) return { value, at: 'output_config.format' };
  return isAbsent(older) ? null : { value: older, at: 'output_format' };
}

/** The form that an answer is to take. @throws ServiceError naming what is wrong. */
export function readOutput(body: Fields): OutputFormat | undefined {
  const field = formatField(body);
  if (!field) return undefined;
  const { at } = field;
  const format = requireObject(field.value, at);
  if (requireText(format['type'], `${at}.type`) !== 'json_schema') throw fault('unsupported_value', `${at}.type`, 'Expected json_schema.');
  return { kind: 'json_schema', name: 'output', schema: { ...requireSchema(format['schema'], `${at}.schema`) }, strict: true };
}
