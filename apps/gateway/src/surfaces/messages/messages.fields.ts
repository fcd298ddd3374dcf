import { fault } from './messages.fault.js';

/** A JSON object of a request. */
export type Fields = Readonly<Record<string, unknown>>;

export const isObject = (value: unknown): value is Fields => typeof value === 'object' && value !== null && !Array.isArray(value);
/** Null means absent in every optional field of the contract. */
export const isAbsent = (value: unknown): value is undefined | null => value === undefined || value === null;

/** @throws ServiceError when there is nothing. @param at its name in the request, such as `messages.0.content`. */
export function requirePresent(value: unknown, at: string): unknown {
  if (isAbsent(value)) throw fault('missing_required_parameter', at, 'Field required');
  return value;
}

/** @throws ServiceError when there is no object. */
export function requireObject(value: unknown, at: string): Fields {
  if (!isObject(requirePresent(value, at))) throw fault('invalid_type', at, 'Expected an object.');
  return value as Fields;
}

/** @throws ServiceError when there is no array. */
export function requireArray(value: unknown, at: string): readonly unknown[] {
  if (!Array.isArray(requirePresent(value, at))) throw fault('invalid_type', at, 'Expected an array.');
  return value as unknown[];
}

/** @throws ServiceError when there is no string. */
export function requireText(value: unknown, at: string): string {
  if (typeof requirePresent(value, at) !== 'string') throw fault('invalid_type', at, 'Expected a string.');
  return value as string;
}

/** @throws ServiceError when there is something else than a string. */
export const optionalText = (value: unknown, at: string): string | undefined => (isAbsent(value) ? undefined : requireText(value, at));

/** @throws ServiceError when there is something else than a boolean. */
export function optionalFlag(value: unknown, at: string): boolean | undefined {
  if (isAbsent(value)) return undefined;
  if (typeof value !== 'boolean') throw fault('invalid_type', at, 'Expected a boolean.');
  return value;
}

/** A JSON schema of a request, in characters. Larger ones would take an engine longer to compile than a request may wait. */
const MAX_SCHEMA_CHARS = 256 * 1024;

/** @throws ServiceError when there is no object, or one that no engine should be asked to compile. */
export function requireSchema(value: unknown, at: string): Fields {
  const schema = requireObject(value, at);
  if (JSON.stringify(schema).length > MAX_SCHEMA_CHARS) throw fault('invalid_value', at, `Longer than ${MAX_SCHEMA_CHARS} characters.`);
  return schema;
}
