import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { commaList, serviceFragment } from './fragments.js';
import { ConfigError, loadConfig } from './load-config.js';

const schema = z.object({ ...serviceFragment, SECRET: z.string().min(20), HOSTS: commaList });

const failure = (environment: NodeJS.ProcessEnv): string => {
  try {
    loadConfig(schema, environment);
  } catch (error) {
    if (error instanceof ConfigError) return error.message;
  }
  throw new Error('The configuration was accepted.');
};

describe('configuration', () => {
  it('names every bad variable at once and shows no value', () => {
    const message = failure({ SECRET: 'hunter2', OPS_PORT: '70000', SLIPWAY_ENV: 'Prod!' });
    expect(message).toContain('SECRET');
    expect(message).toContain('OPS_PORT');
    expect(message).toContain('SLIPWAY_ENV');
    for (const value of ['hunter2', '70000', 'Prod!']) expect(message).not.toContain(value);
  });

  it('takes an empty variable for an absent one', () => {
    expect(failure({ SECRET: '' })).toContain('SECRET');
    expect(loadConfig(schema, { SECRET: 'x'.repeat(20), LOG_LEVEL: '' }).LOG_LEVEL).toBe('info');
  });

  it('reads lists without empty entries', () => {
    expect(loadConfig(schema, { SECRET: 'x'.repeat(20), HOSTS: ' a, ,b,' }).HOSTS).toEqual(['a', 'b']);
  });
});
