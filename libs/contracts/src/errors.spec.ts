import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { ERRORS, ServiceError, isErrorCode, isServiceError } from './errors.js';

describe('ERRORS', () => {
  it('uses no status that clients repeat in vain', () => {
    for (const facts of Object.values(ERRORS)) expect([410, 415, 422]).not.toContain(facts.status);
  });

  it('advises a retry exactly where the status does', () => {
    for (const [code, { status, retry }] of Object.entries(ERRORS)) {
      const repeatable = status === 408 || status === 429 || status >= 500;
      expect([code, retry]).toEqual([code, repeatable ? 'later' : 'never']);
    }
  });

  it.each(['toString', 'constructor', '__proto__', 'hasOwnProperty', '', 'Internal'])('does not know %j', (text) => {
    expect(isErrorCode(text)).toBe(false);
  });
});

describe('ServiceError', () => {
  it('is recognised across copies of the package', () => {
    const copy = { [Symbol.for('slipway.ServiceError')]: true };
    expect(isServiceError(copy)).toBe(true);
    expect(isServiceError(new ServiceError('internal', 'Something failed.'))).toBe(true);
    for (const other of [new Error('x'), null, undefined, 'internal', { code: 'internal' }]) expect(isServiceError(other)).toBe(false);
  });

  it('keeps its cause out of its message', () => {
    const error = new ServiceError('internal', 'Something failed.', { cause: new Error('password=hunter2') });
    expect(error.message).toBe('Something failed.');
    expect(String(error)).not.toContain('hunter2');
    expect(JSON.stringify(error)).not.toContain('hunter2');
    expect(inspect(error.cause)).toContain('hunter2');
  });
});
