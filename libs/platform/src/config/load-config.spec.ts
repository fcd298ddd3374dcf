import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { ConfigError } from './config-error.js';
import { commaList, natsFragment, serviceFragment } from './fragments.js';
import { loadConfig } from './load-config.js';

const schema = z.object({ ...serviceFragment, SECRET: z.string().min(20), HOSTS: commaList });

const failure = (environment: NodeJS.ProcessEnv): string => {
  try {
    loadConfig(schema, environment);
  } catch (error) {
    if (error instanceof ConfigError) return error.message;
  }
  throw new Error('The configuration was accepted.');
};

describe('loadConfig', () => {
  it('names every invalid variable but no value', () => {
    const message = failure({ SECRET: 'hunter2', OPS_PORT: '70000', SLIPWAY_ENV: 'Prod!' });
    expect(message).toContain('SECRET');
    expect(message).toContain('OPS_PORT');
    expect(message).toContain('SLIPWAY_ENV');
    for (const value of ['hunter2', '70000', 'Prod!']) expect(message).not.toContain(value);
  });

  it('treats an empty variable as absent', () => {
    expect(failure({ SECRET: '' })).toContain('SECRET');
    expect(loadConfig(schema, { SECRET: 'x'.repeat(20), LOG_LEVEL: '' }).LOG_LEVEL).toBe('info');
  });

  it('explains each missing or invalid variable', () => {
    expect(failure({}).split('\n')).toEqual(['The configuration is wrong:', '  SECRET: is not set']);
    const lines = failure({ SECRET: 'x'.repeat(20), DRAIN_MS: 'soon', LOG_LEVEL: 'loud' }).split('\n');
    expect(lines.map((line) => line.trim().split(':')[0])).toEqual(['The configuration is wrong', 'LOG_LEVEL', 'DRAIN_MS']);
  });

  const NATS = z.object(natsFragment);
  it.each(['nats://127.0.0.1:4222', '127.0.0.1:4222', 'broker', 'tls://a.example:4222, nats://b.example', 'nats://[::1]:4222'])(
    '%j is where a NATS server may be',
    (text) => {
      expect(loadConfig(NATS, { NATS_URL: text }).NATS_URL).toBe(text);
    },
  );

  it.each(['http://127.0.0.1:4222', 'not an address', 'nats://', ',', 'a,,b', 'nats://a:99999', 'postgres://a'])(
    'refuses %j as an address',
    (text) => {
      expect(() => loadConfig(NATS, { NATS_URL: text })).toThrow(ConfigError);
    },
  );

  it('reads lists without empty entries', () => {
    expect(loadConfig(schema, { SECRET: 'x'.repeat(20), HOSTS: ' a, ,b,' }).HOSTS).toEqual(['a', 'b']);
  });
});
