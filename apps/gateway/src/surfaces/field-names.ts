import { ServiceError } from '@slipway/contracts';
import type { FieldNames } from './surface.js';

/** The error of an engine, with the field that it names called as the client called it. */
export function inClientsWords(error: ServiceError, names: FieldNames): ServiceError {
  const { code, message, param, retryAfterS, facts, cause } = error;
  const name = param?.replace(/[.[].*$/, '');
  const own = name !== undefined && Object.hasOwn(names, name) ? names[name] : undefined;
  // Places within a field are the engine's, not the client's.
  return own === undefined ? error : new ServiceError(code, message, { param: own, retryAfterS, facts, cause });
}
