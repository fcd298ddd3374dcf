import {
  AcceptInvitation,
  type AccountId,
  CreateKey,
  DeploymentId,
  ListDeployments,
  ListSessionKeys,
  PointAlias,
  SignIn,
} from '@slipway/contracts';
import { RpcClient } from '@slipway/platform';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ENV } from '../services/bus.js';
import { PatientRpc } from '../services/patient-rpc.js';
import { CliRig, MODEL } from './cli-rig.js';

const PASSWORD = 'correct horse battery';

let rig: CliRig;
let console_: RpcClient;
beforeAll(async () => {
  rig = await CliRig.start();
  console_ = new RpcClient(await rig.bus.connect('console'), ENV);
  await rig.json('accounts', 'create', 'local');
});
afterAll(() => rig?.end());

const accept = (link: string, email?: string): Promise<unknown> =>
  console_.call(AcceptInvitation, {
    token: link.split('#')[1] ?? '',
    password: PASSWORD,
    origin: {},
    ...(email !== undefined && { email }),
  });

describe('people', () => {
  it('join by links and are listed with roles', async () => {
    const setUp = await rig.run('users', 'set-up', '--console', 'https://console.example.com/');
    const [link = ''] = /https:\/\/console\.example\.com\/join#[\w-]{43}/.exec(setUp.stdout) ?? [];
    expect([setUp.code, link === '', setUp.stderr]).toEqual([0, false, 'Opens once, within seven days; it cannot be shown again.\n']);
    await accept(link, 'ada@example.com');
    expect((await rig.run('users', 'set-up')).stderr).toMatch(/\(account_has_owner\)\n$/);
    const invited = await rig.json<{ link: string }>('users', 'invite', 'Bob@Example.com', '--role', 'viewer');
    expect(invited.link).toMatch(/^http:\/\/127\.0\.0\.1:8081\/join#/);
    expect((await rig.run('users', 'invitations')).stdout).toMatch(/bob@example\.com +viewer/);
    await accept(invited.link);
    const { stdout } = await rig.run('users', 'list');
    expect(stdout).toMatch(/ada@example\.com +- +owner/);
    expect(stdout).toMatch(/bob@example\.com +- +viewer/);
  });

  it('are changed, signed out and removed by address', async () => {
    expect((await rig.run('users', 'role', 'bob@example.com', 'member')).stdout).toBe('bob@example.com is member of account local.\n');
    expect((await rig.run('users', 'sign-out', 'bob@example.com')).stdout).toBe('Ended 1 session of bob@example.com.\n');
    expect((await rig.run('users', 'remove', 'ada@example.com')).stderr).toMatch(/\(last_owner\)\n$/);
    expect((await rig.run('users', 'remove', 'bob@example.com')).code).toBe(0);
    expect((await rig.run('users', 'role', 'bob@example.com', 'owner')).stderr).toMatch(/\(user_not_found\)\n$/);
  });

  it('who are uninvited find their link void', async () => {
    const { link } = await rig.json<{ link: string }>('users', 'invite', 'eve@example.com');
    expect((await rig.run('users', 'uninvite', 'eve@example.com')).code).toBe(0);
    await expect(accept(link)).rejects.toMatchObject({ code: 'invitation_not_found' });
    expect((await rig.run('users', 'uninvite', 'eve@example.com')).stderr).toMatch(/\(invitation_not_found\)\n$/);
  });

  it('get a new password that is shown once', async () => {
    const before = { email: 'ada@example.com', password: PASSWORD, origin: {} };
    await console_.call(SignIn, before);
    const run = await rig.run('users', 'reset-password', 'ada@example.com');
    const [, password = ''] = /^ {2}([\w-]{22})$/m.exec(run.stdout) ?? [];
    expect([run.code, run.stderr]).toEqual([0, 'It cannot be shown again.\n']);
    await expect(console_.call(SignIn, before)).rejects.toMatchObject({ code: 'invalid_credentials' });
    await console_.call(SignIn, { ...before, password });
    expect((await rig.run('users', 'reset-password', 'nobody@example.com')).stderr).toMatch(/\(user_not_found\)\n$/);
    const { entries } = await rig.json<{ entries: { action: string; object_name: string }[] }>('audit', 'list');
    expect(entries.find(({ action }) => action === 'password.reset')).toMatchObject({ actor: 'ops', object_name: 'ada@example.com' });
    expect(JSON.stringify(entries)).not.toContain(password);
  });

  it('are suspended and resumed in all accounts', async () => {
    const credentials = { email: 'sam@example.com', password: PASSWORD, origin: {} };
    await accept((await rig.json<{ link: string }>('users', 'invite', 'sam@example.com')).link);
    expect((await rig.run('users', 'suspend', 'Sam@Example.com')).stdout).toBe('sam@example.com is suspended; ended 1 session.\n');
    expect((await rig.run('users', 'suspend', 'sam@example.com')).code).toBe(0);
    await expect(console_.call(SignIn, credentials)).rejects.toMatchObject({ code: 'invalid_credentials' });
    expect((await rig.run('users', 'list')).stdout).toMatch(/sam@example\.com .*member +suspended/);
    expect((await rig.run('users', 'resume', 'sam@example.com')).stdout).toBe('sam@example.com may sign in again.\n');
    await console_.call(SignIn, credentials);
    expect((await rig.run('users', 'suspend', 'nobody@example.com')).stderr).toMatch(/\(user_not_found\)\n$/);
  });

  it('are deleted and stay in the audit log', async () => {
    const email = 'kim@example.com';
    await accept((await rig.json<{ link: string }>('users', 'invite', email)).link);
    expect((await rig.run('users', 'delete', email)).stderr).toMatch(/--yes.*\(not_confirmed\)\n$/);
    expect((await rig.type('kim\n', 'users', 'delete', email)).stderr).toMatch(/\(not_confirmed\)\n$/);
    expect((await rig.run('users', 'list')).stdout).toContain(email);
    expect((await rig.type(`${email}\n`, 'users', 'delete', email)).stdout).toBe(`Deleted ${email}; ended 1 session.\n`);
    const again = await rig.run('users', 'delete', email, '--yes');
    expect([again.code, again.stderr]).toEqual([1, expect.stringMatching(/\(user_not_found\)\n$/)]);
    const only = await rig.run('users', 'delete', 'ada@example.com', '--yes');
    expect([only.code, only.stderr]).toEqual([1, expect.stringMatching(/only owner of local:.*\(last_owner\)\n$/)]);
    expect((await rig.run('audit', 'verify')).stdout).toContain('The audit logs are whole.');
  });

  it('keep their sessions over a new signing key', async () => {
    const made = await rig.json<{ kid: string; revoked_old: boolean }>('sessions', 'rotate-key');
    const revoking = await rig.run('sessions', 'rotate-key', '--revoke-old');
    expect([revoking.code, revoking.stdout.includes(made.kid)]).toEqual([0, false]);
    const { keys } = await console_.call(ListSessionKeys, {});
    expect(keys.map(({ kid }) => kid)).toEqual([/key (\S+)/.exec(revoking.stdout)?.[1]]);
  });

  it.each([
    ['invite', 'nobody'],
    ['invite', 'a@example.com', '--role', 'root'],
    ['role', 'a@example.com', 'king'],
  ])('users %s %s is a usage error', async (...args) => {
    expect((await rig.run('users', ...args)).code).toBe(2);
  });
});

describe('accounts', () => {
  it('are suspended and resumed by slug', async () => {
    const { id: account } = await rig.json<{ id: AccountId }>('accounts', 'create', 'paused');
    const { link } = await rig.json<{ link: string }>('users', 'set-up', '--account', 'paused');
    await accept(link, 'pat@example.com');
    const outcomes = async (): Promise<(string | undefined)[]> => {
      const { access_token } = await console_.call(SignIn, { email: 'pat@example.com', password: PASSWORD, origin: {} });
      const pat = new PatientRpc(console_.withProof(access_token));
      const alias = { account, alias: 'chat', deployment: DeploymentId.parse(999_999) };
      return [
        (await pat.outcome(ListDeployments, { account })).code,
        (await pat.outcome(PointAlias, alias)).code,
        (await pat.outcome(CreateKey, { account, name: 'a key' })).code,
      ];
    };
    expect((await rig.run('accounts', 'suspend', 'paused')).stdout).toMatch(/^Account paused is suspended\. /);
    expect((await rig.run('accounts', 'suspend', 'paused')).code).toBe(0);
    expect(await outcomes()).toEqual([undefined, 'account_suspended', 'account_suspended']);
    expect((await rig.run('accounts', 'resume', 'paused')).stdout).toMatch(/^Account paused is active\. /);
    expect(await outcomes()).toEqual([undefined, 'deployment_not_found', undefined]);
    const { entries } = await rig.json<{ entries: { action: string }[] }>('audit', 'list', '--account', 'paused');
    expect(entries.map(({ action }) => action).filter((action) => /suspend|resume/.test(action))).toEqual([
      'account.resume',
      'account.suspend',
    ]);
    expect((await rig.run('accounts', 'suspend', 'nobody')).stderr).toMatch(/\(account_not_found\)\n$/);
  });
});

describe('the audit log', () => {
  it('names the command line as actor', async () => {
    await rig.json('keys', 'create', 'laptop');
    const { entries } = await rig.json<{ entries: { action: string; actor: string; client: string }[] }>('audit', 'list');
    expect(entries[0]).toMatchObject({ action: 'key.create', actor: 'ops', client: 'slipway-cli', object_name: 'laptop' });
    expect(entries.map(({ action }) => action)).toEqual(expect.arrayContaining(['member.remove', 'member.role', 'account.create']));
    const { stdout } = await rig.run('audit', 'list');
    expect(stdout).toMatch(/ops +key\.create +key:\d+ \(laptop\) +slipway-cli/);
    expect(stdout).not.toMatch(/svc_dep_|join#/);
  });

  it('holds deployments and aliases separately', async () => {
    const made = await rig.json<{ id: number }>('deployments', 'create', '--model', MODEL);
    const name = `deployment-${made.id}`;
    await rig.json('aliases', 'point', 'tiny', name);
    await rig.json('deployments', 'stop', name);
    await rig.json('deployments', 'stop', name);
    const { entries } = await rig.json<{ entries: { action: string; actor: string }[] }>('audit', 'list', '--deployments');
    expect(entries.map(({ action, actor }) => [action, actor])).toEqual([
      ['deployment.stop', 'ops'],
      ['alias.point', 'ops'],
      ['deployment.create', 'ops'],
    ]);
  });

  it('is verified and exported as a whole', async () => {
    const first = await rig.json<{ keys: { seq: number; hash: string } }>('audit', 'verify');
    const anchor = `${first.keys.seq}:${first.keys.hash}`;
    expect((await rig.run('audit', 'verify', '--keys-head', anchor)).stdout).toContain('The audit logs are whole.');
    const forged = await rig.run('audit', 'verify', '--keys-head', `${first.keys.seq}:${'0'.repeat(64)}`);
    expect([forged.code, forged.stderr]).toEqual([1, expect.stringContaining('made anew')]);
    const { stdout } = await rig.run('audit', 'export');
    const lines = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { seq: number; action: string; account: number | null });
    expect(lines.map(({ seq }) => seq)).toEqual(lines.map((_, i) => i + 1));
    expect(lines.find(({ action }) => action === 'signing_key.rotate')).toMatchObject({ account: null });
    expect(stdout).not.toMatch(/svc_dep_|join#/);
  });
});
