import { isServiceError, ServiceError } from '@slipway/contracts';
import { QueryFailedError } from 'typeorm';

/** Server codes after which the same statement may work on another connection: shutdown, start-up, fail-over. */
const LOST_CODES = new Set(['57P01', '57P02', '57P03', '25006', 'ECONNRESET', 'EPIPE', 'ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN']);
/** Server codes of overload: too many connections, statement or lock timeout, out of memory or disk. */
const BUSY_CODES = new Set(['53000', '53100', '53200', '53300', '57014', '55P03', 'ETIMEDOUT', 'EHOSTUNREACH', 'ENETUNREACH']);
const LOST_TEXTS = ['Connection terminated', 'Client has encountered a connection error', 'Client was closed'];
const TIMEOUT_TEXTS = ['No answer within', 'Query read timeout', 'timeout exceeded when trying to connect', 'timeout expired'];

/** The driver's own error, without the statement and its parameters, which must not be logged. */
export function driverErrorOf(error: unknown): unknown {
  return error instanceof QueryFailedError ? error.driverError : error;
}

function codeOf(error: unknown): string {
  const code: unknown = typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
  return typeof code === 'string' ? code : '';
}

const says = (error: unknown, texts: readonly string[]): boolean =>
  error instanceof Error && texts.some((text) => error.message.includes(text));

/** True when the connection is lost or the server refuses work temporarily: a read may be repeated on another connection. */
export function isConnectionLoss(error: unknown): boolean {
  const cause = driverErrorOf(error);
  if (cause instanceof AggregateError) return cause.errors.some(isConnectionLoss);
  const code = codeOf(cause);
  return LOST_CODES.has(code) || code.startsWith('08') || says(cause, LOST_TEXTS);
}

/** True after a timeout: the connection may hang, and the statement may still take effect. */
export function isTimeout(error: unknown): boolean {
  return says(driverErrorOf(error), TIMEOUT_TEXTS);
}

/** True when the database is temporarily unavailable. */
export function isDatabaseUnavailable(error: unknown): boolean {
  return isConnectionLoss(error) || isTimeout(error) || BUSY_CODES.has(codeOf(driverErrorOf(error)));
}

/**
 * SQLSTATE classes that do not depend on the rows of a statement: connection, transaction state, login, catalog, rollback,
 * syntax and rights, resources, object state, intervention, system, configuration, internal errors.
 */
const NOT_OF_DATA = /^(08|25|28|3D|40|42|53|55|57|58|F0|XX)/;

/** True when the server refuses the rows of a statement: the same rows always fail, other rows may not. */
export function isRefusedData(error: unknown): boolean {
  const code = codeOf(driverErrorOf(error));
  return /^[0-9A-Z]{5}$/.test(code) && !NOT_OF_DATA.test(code);
}

/** True when the server refuses the user or the password. */
export const isLoginRefused = (error: unknown): boolean => codeOf(driverErrorOf(error)).startsWith('28');

/** True when a row violates a unique constraint, or the named one. */
export function isUniqueViolation(error: unknown, constraint?: string): boolean {
  const cause = driverErrorOf(error);
  if (codeOf(cause) !== '23505') return false;
  return (
    constraint === undefined || (typeof cause === 'object' && cause !== null && 'constraint' in cause && cause.constraint === constraint)
  );
}

/** Public error for a failure: `unavailable` while the database does not answer, other errors unchanged. */
export function publicError(error: unknown): unknown {
  if (isServiceError(error)) return error;
  if (!isDatabaseUnavailable(error)) return driverErrorOf(error);
  return new ServiceError('unavailable', 'The database does not answer; try again soon.', { retryAfterS: 1, cause: driverErrorOf(error) });
}
