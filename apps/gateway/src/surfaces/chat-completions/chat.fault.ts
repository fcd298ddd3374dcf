import { type ErrorCode, ServiceError } from '@slipway/contracts';

/** A JSON object of a request. */
export type Fields = Readonly<Record<string, unknown>>;

export const isObject = (value: unknown): value is Fields => typeof value === 'object' && value !== null && !Array.isArray(value);
/** Null means absent in every optional field of the contract. */
export const isAbsent = (value: unknown): value is undefined | null => value === undefined || value === null;

/** An error about one field. @param param its name as the contract spells it, such as `messages[2].content`. */
export const fault = (code: ErrorCode, param: string, message: string): ServiceError => new ServiceError(code, message, { param });

export const missing = (param: string): ServiceError => fault('missing_required_parameter', param, `'${param}' is required.`);

/** @param expected what it must be, such as `a string`. */
export const wrongType = (param: string, expected: string): ServiceError => fault('invalid_type', param, `'${param}' must be ${expected}.`);

/** @throws ServiceError when there is no object. */
export function requireObject(value: unknown, param: string): Fields {
  if (isAbsent(value)) throw missing(param);
  if (!isObject(value)) throw wrongType(param, 'an object');
  return value;
}

/** @throws ServiceError when there is no string. */
export function requireText(value: unknown, param: string): string {
  if (isAbsent(value)) throw missing(param);
  if (typeof value !== 'string') throw wrongType(param, 'a string');
  return value;
}

/** @throws ServiceError when there is something else than a string. */
export function optionalText(value: unknown, param: string): string | undefined {
  return isAbsent(value) ? undefined : requireText(value, param);
}

/** @throws ServiceError when there is something else than a boolean. */
export function optionalFlag(value: unknown, param: string): boolean | undefined {
  if (isAbsent(value)) return undefined;
  if (typeof value !== 'boolean') throw wrongType(param, 'a boolean');
  return value;
}

/** A JSON schema of a request, in characters. Larger ones would take an engine longer to compile than a request may wait. */
const MAX_SCHEMA_CHARS = 256 * 1024;

/** @throws ServiceError when there is no object, or one that no engine should be asked to compile. */
export function requireSchema(value: unknown, param: string): Record<string, unknown> {
  const schema = requireObject(value, param);
  if (JSON.stringify(schema).length > MAX_SCHEMA_CHARS) {
    throw fault('invalid_value', param, `'${param}' is longer than ${MAX_SCHEMA_CHARS} characters.`);
  }
  return schema;
}
