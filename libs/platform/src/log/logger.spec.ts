import { ServiceError } from '@slipway/contracts';
import { describe, expect, it } from 'vitest';
import { createLogger } from './logger.js';

function logged(fields: object): Record<string, unknown> {
  const lines: string[] = [];
  createLogger('test', 'silent', (line) => lines.push(line)).warn(fields, 'something.happened');
  return JSON.parse(lines[0] ?? '{}') as Record<string, unknown>;
}

describe('a log line', () => {
  it('logs an expected failure without its stack trace', () => {
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

  it('masks what is named as a secret within a field of any name, and shows all else', () => {
    const item = Object.freeze({ dep: 7, credential: 'hush', password: null });
    const cause = Object.assign(new Error('refused'), { credential: 'hush' });
    const line = logged({ item, headers: { credential: 'hush', accept: '*/*' }, cause, err: cause, ms: 3, none: null });
    expect(JSON.stringify(line)).not.toContain('hush');
    expect(line).toMatchObject({
      item: { dep: 7, credential: '***', password: '***' },
      headers: { credential: '***', accept: '*/*' },
      err: { message: 'refused', credential: '***', stack: expect.stringContaining('logger.spec') },
      ms: 3,
      none: null,
    });
    expect(item.credential).toBe('hush');
  });

  it('masks what children of a logger say in each of their lines', () => {
    const lines: string[] = [];
    const parent = createLogger('test', 'silent', (line) => lines.push(line));
    parent
      .child({ source: { credential: 'hush', url: 'http://engine' } })
      .child({ password: 'hush', dep: 7 })
      .warn('something.happened');
    expect(lines.join('')).not.toContain('hush');
    expect(JSON.parse(lines[0] ?? '{}')).toMatchObject({ source: { url: 'http://engine' }, dep: 7, level: 'warn' });
  });
});
