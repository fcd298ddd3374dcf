import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { FakeAgent } from '../deployments/fake-agent.js';
import { until } from '../testing/until.js';
import { CliRig, documentOf, ENGINE, MODEL } from './cli-rig.js';

let rig: CliRig;
let agent: FakeAgent;
beforeAll(async () => {
  rig = await CliRig.start();
  agent = await rig.addAgent();
  await rig.json('accounts', 'create', 'acme');
  await rig.json('accounts', 'create', 'beta');
});
afterAll(() => rig?.end());

const states = async (account: string): Promise<string[]> =>
  (await rig.json<{ deployments: { state: string }[] }>('deployments', 'list', '--account', account)).deployments.map(({ state }) => state);

// In this order: each goes on where the one before it left the account.
describe('a deleted account', () => {
  it('is deleted only with --yes', async () => {
    for (const account of ['acme', 'beta']) {
      await rig.json('deployments', 'create', '--model', MODEL, '--account', account, '--wait');
      await rig.json('keys', 'create', 'a key', '--account', account);
    }
    await rig.json('deployments', 'create', '--upstream', ENGINE, '--upstream-model', 'qwen3', '--account', 'acme');
    await rig.json('aliases', 'point', 'tiny', 'deployment-1', '--account', 'acme');
    await rig.json('users', 'invite', 'ada@example.com', '--account', 'acme');
    const run = await rig.run('accounts', 'delete', 'acme', '--json');
    expect([run.code, documentOf<{ error: object }>(run).error]).toEqual([
      1,
      expect.objectContaining({ code: 'not_confirmed', deployments: 2, aliases: 1, keys: 1, members: 0, invitations: 1 }),
    ]);
    expect(run.stderr).toContain('2 deployments, 1 alias, 1 key, 0 members, 1 invitation');
    expect(await states('acme')).toHaveLength(2);
    expect((await rig.run('accounts', 'list')).stdout).toMatch(/acme +active/);
  });

  it('stays closed after an interrupted run', async () => {
    agent.drains = true;
    const running = rig.begin('accounts', 'delete', 'acme', '--yes');
    await until('it waits for the workers', () => /acme: \d deployments? left/.test(running.stderr));
    await until('a deployment stops', async () => (await states('acme')).includes('stopping'));
    running.child.kill('SIGKILL');
    await running.ended();
    expect((await rig.run('accounts', 'list')).stdout).toMatch(/acme +suspended/);
    const more = await rig.run('deployments', 'create', '--model', MODEL, '--account', 'acme');
    expect([more.code, more.stderr]).toEqual([1, expect.stringMatching(/\(quota_exceeded\)\n$/)]);
  });

  it('is gone with its deployments after the next run', async () => {
    agent.drains = false;
    agent.finish();
    const run = await rig.run('accounts', 'delete', 'acme', '--yes');
    expect([run.code, run.stdout]).toEqual([
      0,
      expect.stringMatching(/^Deleted account acme, with \d deployments?, 1 key, 0 members, 1 invitation, 0 sessions\./),
    ]);
    expect(await rig.json<{ rows: unknown[] }>('usage', '--account', 'acme')).toMatchObject({ rows: [] });
    const { entries } = await rig.json<{ entries: { action: string }[] }>('audit', 'list', '--account', 'acme');
    expect(entries[0]).toMatchObject({ action: 'account.delete', actor: 'ops', object_name: 'acme' });
    const log = await rig.json<{ entries: { action: string }[] }>('audit', 'list', '--account', 'acme', '--deployments');
    expect(log.entries.filter(({ action }) => action === 'deployment.delete')).toHaveLength(2);
    expect(await states('beta')).toEqual(['ready']);
    expect((await rig.run('accounts', 'list')).stdout).not.toContain('acme');
    expect((await rig.json<{ keys: { state: string }[] }>('keys', 'list', '--account', 'beta')).keys).toMatchObject([{ state: 'active' }]);
  });

  it('keeps its slug reserved', async () => {
    expect((await rig.run('accounts', 'delete', 'acme', '--yes')).code).toBe(0);
    for (const command of [
      ['keys', 'list', '--account', 'acme'],
      ['users', 'set-up', '--account', 'acme'],
      ['accounts', 'resume', 'acme'],
    ]) {
      expect([command, (await rig.run(...command)).stderr]).toEqual([command, expect.stringMatching(/\(account_not_found\)\n$/)]);
    }
    expect((await rig.run('accounts', 'create', 'acme')).stderr).toMatch(/\(slug_taken\)\n$/);
    expect((await rig.run('accounts', 'delete', 'nobody', '--yes')).stderr).toMatch(/\(account_not_found\)\n$/);
    expect((await rig.run('audit', 'verify')).stdout).toContain('The audit logs are whole.');
  });
});
