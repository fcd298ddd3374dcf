import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { commaList, postgresAddress, serviceFragment } from './fragments.js';
import { shownSettings, withoutSecrets } from './shown-settings.js';

const schema = z
  .object({
    ...serviceFragment,
    DATABASE_URL: postgresAddress.optional(),
    KEY_PEPPERS: z.string().transform((text) => text.split(',')),
    HOSTS: commaList,
    ARGS: z.string().optional(),
  })
  .refine(() => true);

const shown = (environment: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(shownSettings(schema, environment).map(({ name, value, source }) => [name, [value, source]]));

describe('the settings that operators see', () => {
  it('are the values of the environment, and the defaults', () => {
    expect(shown({ SLIPWAY_ENV: 'prod', OPS_PORT: 9_000, DRAIN_MS: '', HOSTS: 'a.example, b.example', FOREIGN: 'x' })).toEqual({
      SLIPWAY_ENV: ['prod', 'set'],
      LOG_LEVEL: ['info', 'default'],
      OPS_PORT: ['9000', 'set'],
      OPS_HOST: ['127.0.0.1', 'default'],
      DRAIN_MS: ['300000', 'default'],
      DATABASE_URL: [null, 'default'],
      KEY_PEPPERS: [null, 'default'],
      HOSTS: ['a.example, b.example', 'set'],
      ARGS: [null, 'default'],
    });
  });

  it('hold no secret', () => {
    const all = shown({ KEY_PEPPERS: 'new:abcd', DATABASE_URL: 'postgres://me:hush@db/x?sslmode=require', ARGS: '--api-key hush --ctx 5' });
    expect(all).toMatchObject({
      KEY_PEPPERS: ['***', 'set'],
      DATABASE_URL: ['postgres://me:***@db/x?sslmode=require', 'set'],
      ARGS: ['--api-key *** --ctx 5', 'set'],
    });
  });

  it('are cut where they are long', () => {
    expect(String((shown({ HOSTS: 'x'.repeat(9_000) })['HOSTS'] as string[])[0])).toHaveLength(2_000);
  });
});

describe('a text without secrets', () => {
  it.each([
    ['nats://app:hush@n1:4222,tls://app:hush@n2:4222', 'nats://app:***@n1:4222,tls://app:***@n2:4222'],
    ['app:hush@n1:4222, app:hush@n2:4222', 'app:***@n1:4222, app:***@n2:4222'],
    ['nats://hush@n1:4222', 'nats://***@n1:4222'],
    ['postgres://me:hush@hush,hush@db:5432/x', 'postgres://me:***@db:5432/x'],
    ['postgres://:hush@db/x', 'postgres://:***@db/x'],
    ['postgres://db/x?user=me&password=hush&sslmode=require', 'postgres://db/x?user=me&password=***&sslmode=require'],
    ['postgresql://db/x?sslpassword=hush', 'postgresql://db/x?sslpassword=***'],
    ['https://otlp.example/v1?api-key=hush#x', 'https://otlp.example/v1?api-key=***#x'],
    ['--api-key=hush --port 80', '--api-key=*** --port 80'],
    ['-c 4096 --hf-token hush', '-c 4096 --hf-token ***'],
    ['team=a,collector.token=hush', 'team=a,collector.token=***'],
  ])('masks %j', (text, masked) => {
    expect(withoutSecrets(text)).toBe(masked);
    expect(withoutSecrets(text)).not.toContain('hush');
  });

  it.each(['mailto:security@example.com', 'https://models.example:8443/a?b=c', '/models,/more', 'openid email', 'huggingface.co,*.hf.co'])(
    'keeps %j',
    (text) => expect(withoutSecrets(text)).toBe(text),
  );
});
