import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { ERRORS, ServiceError, isErrorCode, isServiceError } from './errors.js';

describe('error codes', () => {
  it('never carry a status that a client library repeats although nothing can change', () => {
    for (const facts of Object.values(ERRORS)) expect([410, 415, 422]).not.toContain(facts.status);
  });

  it('advise to retry only where the status says so to every client', () => {
    for (const [code, { status, retry }] of Object.entries(ERRORS)) {
      const repeatable = status === 408 || status === 429 || status >= 500;
      expect([code, retry]).toEqual([code, repeatable ? 'later' : 'never']);
    }
  });

  it.each(['toString', 'constructor', '__proto__', 'hasOwnProperty', '', 'Internal'])('%j is none', (text) => {
    expect(isErrorCode(text)).toBe(false);
  });
});

describe('a service error', () => {
  it('is known across copies of the package', () => {
    const copy = { [Symbol.for('slipway.ServiceError')]: true };
    expect(isServiceError(copy)).toBe(true);
    expect(isServiceError(new ServiceError('internal', 'Something failed.'))).toBe(true);
    for (const other of [new Error('x'), null, undefined, 'internal', { code: 'internal' }]) expect(isServiceError(other)).toBe(false);
  });

  it('keeps its cause for the log and out of its public message', () => {
    const error = new ServiceError('internal', 'Something failed.', { cause: new Error('password=hunter2') });
    expect(error.message).toBe('Something failed.');
    expect(String(error)).not.toContain('hunter2');
    expect(JSON.stringify(error)).not.toContain('hunter2');
    expect(inspect(error.cause)).toContain('hunter2');
  });
});
