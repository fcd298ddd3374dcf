import { ServiceError } from '@slipway/contracts';
import { describe, expect, it } from 'vitest';
import { createLogger } from './logger.js';

function logged(fields: object): Record<string, unknown> {
  const lines: string[] = [];
  createLogger('test', 'silent', (line) => lines.push(line)).warn(fields, 'something.happened');
  return JSON.parse(lines[0] ?? '{}') as Record<string, unknown>;
}

describe('a log line', () => {
  it('tells an expected failure by its code and words, without the place in the code', () => {
    const err = new ServiceError('deployment_not_found', 'There is no such deployment.', { cause: new Error('no rows') });
    expect(logged({ err })['err']).toEqual({
      type: 'ServiceError',
      code: 'deployment_not_found',
      message: 'There is no such deployment.: no rows',
    });
  });

  it('keeps the place of a fault', () => {
    for (const err of [new TypeError('x is undefined'), new ServiceError('internal', 'Something went wrong.')]) {
      expect(logged({ err })['err']).toMatchObject({ message: err.message, stack: expect.stringContaining('logger.spec') });
    }
  });

  it('masks what is named as a secret', () => {
    const line = JSON.stringify(logged({ password: 'hush', headers: { authorization: 'Bearer hush', 'x-api-key': 'hush' } }));
    expect(line).not.toContain('hush');
  });
});
