import { keyKindOf } from '@slipway/contracts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CliRig, type Run, documentOf } from './cli-rig.js';

interface Shown {
  readonly id: number;
  readonly value: string;
  readonly hint: string;
  readonly name: string;
  readonly account: string;
}
interface Listed {
  readonly account: string;
  readonly keys: {
    readonly id: number;
    readonly name: string;
    readonly hint: string;
    readonly state: string;
    readonly expires_at: string | null;
  }[];
}

let rig: CliRig;

beforeAll(async () => {
  rig = await CliRig.start();
});
afterAll(() => rig?.end());

const KEY = /svc_(?:dep|mcp)_[0-9A-Za-z]{49}/g;
const keysIn = (text: string): string[] => text.match(KEY) ?? [];
const refusal = (run: Run): [number | null, string] => [run.code, run.stderr.trimEnd()];

// In this order: accounts come into being as the tests go on.
describe('accounts', () => {
  it('without any, commands say how to make one', async () => {
    expect(refusal(await rig.run('keys', 'list'))).toEqual([
      1,
      '✗ There is no account yet: npx slipway accounts create SLUG makes one. (account_not_found)',
    ]);
    expect(await rig.run('accounts', 'list')).toEqual({ code: 0, stdout: 'No accounts.\n', stderr: '' });
  });

  it('create refuses a slug that exists', async () => {
    // A service that has just started does not know all gateways yet, and then says so on stderr.
    expect(await rig.run('accounts', 'create', 'acme')).toMatchObject({ code: 0, stdout: 'Made account acme (1).\n' });
    const again = await rig.run('accounts', 'create', 'acme', '--json');
    expect(again.code).toBe(1);
    expect(documentOf(again)).toMatchObject({ error: { code: 'slug_taken' } });
    expect(again.stderr).toMatch(/^✗ .+ \(slug_taken\)\n$/);
  });

  it('the account is optional if only one exists', async () => {
    expect(await rig.json<Listed>('keys', 'list')).toEqual({ account: 'acme', keys: [] });
    await rig.json('accounts', 'create', 'beta');
    expect(refusal(await rig.run('keys', 'list'))).toEqual([
      1,
      '✗ There are 2 accounts: name one with --account, such as acme. (account_needed)',
    ]);
    expect((await rig.json<Listed>('keys', 'list', '--account', 'beta')).account).toBe('beta');
    await rig.json('accounts', 'create', 'local');
    expect((await rig.json<Listed>('keys', 'list')).account).toBe('local');
  });

  it('list shows all of them', async () => {
    const { stdout } = await rig.run('accounts', 'list');
    expect(stdout.split('\n')[0]).toMatch(/^ID {2}SLUG +STATE +CREATED$/);
    const { accounts } = await rig.json<{ accounts: { slug: string; state: string }[] }>('accounts', 'list');
    expect(accounts.map(({ slug, state }) => [slug, state])).toEqual(['acme', 'beta', 'local'].map((slug) => [slug, 'active']));
  });

  it('an unknown account is refused in words', async () => {
    const run = await rig.run('keys', 'list', '--account', 'nobody');
    expect([run.code, run.stdout]).toEqual([1, '']);
    expect(run.stderr).toMatch(/^✗ .+ \(account_not_found\)\n$/);
  });
});

describe('keys', () => {
  let first: Shown;

  it('create shows the value once', async () => {
    const run = await rig.run('keys', 'create', 'ci');
    expect(run.code).toBe(0);
    expect(keysIn(run.stdout).map(keyKindOf)).toEqual(['dep']);
    expect(keysIn(run.stderr)).toEqual([]);
    expect(run.stderr).toBe('Shown this once: it cannot be shown again.\n');
  });

  it('create --json prints one document with the value', async () => {
    const run = await rig.run('keys', 'create', 'nightly', '--expires', '30d', '--json');
    first = documentOf<Shown>(run);
    expect(first).toMatchObject({ name: 'nightly', account: 'local' });
    expect(keyKindOf(first.value)).toBe('dep');
    expect(run.stderr).toContain('cannot be shown again');
  });

  it('list shows no value, newest first', async () => {
    const run = await rig.run('keys', 'list');
    expect(keysIn(run.stdout)).toEqual([]);
    expect(run.stdout).toContain(`${first.hint}…`);
    const { keys } = await rig.json<Listed>('keys', 'list');
    expect(keys.map(({ name, state }) => [name, state])).toEqual([
      ['nightly', 'active'],
      ['ci', 'active'],
    ]);
    expect(Date.parse(keys[0]?.expires_at ?? '')).toBeGreaterThan(Date.now() + 29 * 86_400_000);
  });

  it('rename, rotate and revoke take id, name or hint', async () => {
    expect((await rig.run('keys', 'rename', first.hint, 'weekly')).stdout).toBe(`Key ${first.id} is named weekly.\n`);
    const rotated = await rig.json<Shown & { propagated: boolean }>('keys', 'rotate', 'weekly', '--expires', 'never');
    expect([rotated.id, rotated.name, keyKindOf(rotated.value)]).toEqual([first.id, 'weekly', 'dep']);
    expect(rotated.value).not.toBe(first.value);
    expect(typeof rotated.propagated).toBe('boolean');
    const revoked = await rig.run('keys', 'revoke', String(first.id));
    expect([revoked.code, revoked.stdout]).toEqual([0, expect.stringMatching(`^Key ${first.id} \\(weekly\\) is revoked\\. `)]);
    const { keys } = await rig.json<Listed>('keys', 'list');
    expect(keys.find(({ id }) => id === first.id)).toMatchObject({ name: 'weekly', state: 'revoked', expires_at: null });
  });

  it('set-expiry moves the expiry and keeps the value', async () => {
    const { id } = await rig.json<Shown>('keys', 'create', 'for a while', '--expires', '12h');
    const moved = await rig.run('keys', 'set-expiry', 'for a while', '30d');
    expect(moved.stdout).toMatch(new RegExp(`^Key ${id} \\(for a while\\) expires at 20\\d\\d-.*gateway`));
    expect((await rig.run('keys', 'set-expiry', String(id), 'never')).stdout).toContain('never expires');
    expect((await rig.run('keys', 'set-expiry', String(id), 'soon')).code).toBe(2);
    expect((await rig.json<Shown>('keys', 'revoke', String(id))).id).toBe(id);
    expect((await rig.run('keys', 'set-expiry', String(id), 'never')).stderr).toMatch(/\(key_revoked\)\n$/);
  });

  it('rotate shows the value once and the propagation', async () => {
    const run = await rig.run('keys', 'rotate', 'ci');
    expect([run.code, keysIn(run.stdout).length, keysIn(run.stderr)]).toEqual([0, 1, []]);
    expect(run.stderr).toMatch(/^Shown this once: it cannot be shown again\. .*gateway/);
  });

  it('revoked, unknown and ambiguous keys are refused', async () => {
    expect((await rig.run('keys', 'rotate', String(first.id))).stderr).toMatch(/\(key_revoked\)\n$/);
    expect(refusal(await rig.run('keys', 'revoke', 'no-such'))).toEqual([
      1,
      '✗ There is no key "no-such" in account local. (key_not_found)',
    ]);
    await rig.json('keys', 'create', 'twin');
    await rig.json('keys', 'create', 'twin');
    expect((await rig.run('keys', 'revoke', 'twin')).stderr).toMatch(/^✗ "twin" may be any of these keys.*\(ambiguous\)\n$/);
  });

  it('a whole key is refused and not repeated', async () => {
    const { value } = await rig.json<Shown>('keys', 'create', 'leaked');
    const run = await rig.run('keys', 'revoke', value);
    expect([run.code, run.stdout, keysIn(run.stderr)]).toEqual([2, '', []]);
  });
});

describe('the MCP key', () => {
  it('is created once and replaced by rotation only', async () => {
    expect((await rig.run('keys', 'mcp', 'show')).stdout).toMatch(/^Account local has no MCP key/);
    expect((await rig.run('keys', 'mcp', 'rotate')).stderr).toMatch(/\(key_not_found\)\n$/);
    const made = documentOf<Shown>(await rig.run('keys', 'mcp', 'create', '--json'));
    expect(keyKindOf(made.value)).toBe('mcp');
    expect((await rig.run('keys', 'mcp', 'create')).stderr).toMatch(/\(mcp_key_exists\)\n$/);
    const rotated = await rig.run('keys', 'mcp', 'rotate');
    expect([rotated.code, keysIn(rotated.stdout).map(keyKindOf), keysIn(rotated.stderr)]).toEqual([0, ['mcp'], []]);
    expect(keysIn(rotated.stdout)).not.toEqual([made.value]);
    const shown = await rig.run('keys', 'mcp', 'show');
    expect(shown.stdout).toMatch(/^State +active$/m);
    expect(keysIn(shown.stdout)).toEqual([]);
  }, 240_000);
});

describe('usage', () => {
  it('of an unused account says so', async () => {
    for (const more of [[], ['--latency'], ['--latency', '--by', 'deployment,status', '--step', 'day', '--from', '7d']]) {
      const run = await rig.type('', 'usage', ...more);
      expect([run.code, run.stderr]).toEqual([0, '']);
      expect(run.stdout).toMatch(/^Account local used nothing from .+ to .+\.\n$/);
    }
    expect(await rig.json('usage', '--latency', '--step', 'hour')).toMatchObject({ account: 'local', step: 'hour', rows: [] });
  });

  it.each([
    ['--by', 'colour'],
    ['--step', 'week'],
    ['--from', 'yesterday'],
  ])('%s %s is a usage error', async (...options) => {
    expect((await rig.type('', 'usage', ...options)).code).toBe(2);
  });
});
