import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { becomes, type FakeAgent, keepsLoading } from '../deployments/fake-agent.js';
import { until } from '../testing/until.js';
import { CliRig, ENGINE, MODEL, documentOf, runCliInProcess } from './cli-rig.js';

interface View {
  readonly id: number;
  readonly slug: string;
  readonly name: string;
  readonly aliases: string[];
  readonly state: string;
  readonly rev: number;
  readonly replicas: number;
  readonly ready_replicas: number;
}

let rig: CliRig;
let agent: FakeAgent;
let made: View;

beforeAll(async () => {
  rig = await CliRig.start();
  agent = await rig.addAgent();
  await agent.serveLogs();
  await rig.json('accounts', 'create', 'local');
});
afterAll(() => rig?.end());

const ready = becomes({ state: 'ready', context: 2_048, caps: ['tools'] });
beforeEach(() => {
  agent.react = ready;
});

const views = async (): Promise<View[]> => (await rig.json<{ deployments: View[] }>('deployments', 'list')).deployments;

describe('a deployment', () => {
  it('is created from a file and awaited', async () => {
    agent.react = keepsLoading;
    const running = rig.begin('deployments', 'create', '--model', MODEL, '--name', 'tiny', '--wait', '--json');
    await until('it tells the progress', () => running.stderr.includes('loading, 25 %'));
    agent.say(1, { state: 'ready', progress: null, context: 2_048 });
    const run = await running.ended();
    expect([run.code, run.stderr.split('\n').at(-2)]).toEqual([0, 'deployment-1: ready']);
    made = documentOf<View>(run);
    expect(made).toMatchObject({ slug: 'deployment-1', name: 'tiny', state: 'ready', ready_replicas: 1 });
  });

  it('is created for an engine without showing its credential', async () => {
    const args = ['deployments', 'create', '--upstream', ENGINE, '--upstream-model', 'qwen3', '--upstream-key-env', 'VLLM_KEY'];
    const run = await runCliInProcess([...args, '--data-dir', rig.dataDir], { environment: { VLLM_KEY: 'engine-secret' } });
    expect([run.code, run.stdout]).toEqual([0, 'Made deployment-2: npx slipway deployments show deployment-2 says how it comes up.\n']);
    const shown = await rig.run('deployments', 'show', '2');
    expect(shown.stdout).toMatch(/^Name +qwen3$/m);
    expect(run.stdout + run.stderr + shown.stdout).not.toContain('engine-secret');
  });

  it('that the operator forbids is refused with the reason', async () => {
    const run = await rig.run('deployments', 'create', '--model', '/etc/passwd.gguf');
    expect([run.code, run.stdout]).toEqual([1, '']);
    expect(run.stderr).toMatch(/^✗ .*MODEL_DIRS.* \(source_not_allowed\)\n$/);
  });

  it('--wait fails with the reason of a failure', async () => {
    agent.react = becomes({ state: 'failed', reason: 'model_invalid', detail: 'no GGUF file.' });
    const run = await rig.run('deployments', 'create', '--model', MODEL, '--name', 'broken', '--wait', '--json');
    expect(run.code).toBe(1);
    expect(documentOf(run)).toEqual({
      error: expect.objectContaining({ code: 'deployment_failed', deployment: 'deployment-3', state: 'failed', reason: 'model_invalid' }),
    });
    expect(run.stderr).toMatch(/✗ deployment-3 does not come up: failed, model_invalid, no GGUF file\. \(deployment_failed\)\n$/);
  });

  it('--wait gives up after its time', async () => {
    agent.react = keepsLoading;
    const run = await rig.run('deployments', 'create', '--model', MODEL, '--name', 'slow', '--wait', '--timeout', '1');
    expect(run.code).toBe(1);
    expect(run.stderr).toMatch(/✗ deployment-4 is not there after 1 s: .+ \(timeout\)\n$/);
  });

  it('Ctrl-C ends a wait, and the deployment goes on', async () => {
    agent.react = keepsLoading;
    const running = rig.begin('deployments', 'create', '--model', MODEL, '--name', 'left', '--wait');
    await until('it waits', () => running.stderr.includes('deployment-5: loading'));
    running.child.kill('SIGINT');
    const run = await running.ended();
    expect([run.code, run.stdout]).toEqual([130, '']);
    expect(run.stderr).toMatch(/\nInterrupted\.\n$/);
    agent.say(5, { state: 'ready', progress: null });
    await until('it is ready all the same', async () => (await views()).some(({ id, state }) => id === 5 && state === 'ready'));
  });
});

describe('deployments are shown', () => {
  it('list prints a table or a document', async () => {
    const { stdout } = await rig.run('deployments', 'list');
    expect(stdout.split('\n')[0]).toMatch(/^DEPLOYMENT +NAME +ALIASES +REPLICAS +STATE$/);
    expect(stdout).toMatch(/^deployment-1 +tiny +- +1\/1 +ready$/m);
    expect((await views()).map(({ slug, name }) => [slug, name])).toEqual([
      ['deployment-1', 'tiny'],
      ['deployment-2', 'qwen3'],
      ['deployment-3', 'broken'],
      ['deployment-4', 'slow'],
      ['deployment-5', 'left'],
    ]);
  });

  it('show lists revisions and replicas', async () => {
    const { stdout } = await rig.run('deployments', 'show', 'deployment-1');
    expect(stdout).toMatch(/^Replicas +1 of 1 answer$/m);
    expect(stdout).toContain(MODEL);
    expect(stdout).toContain(`host-${agent.wk}`);
    const document = await rig.json<{ deployment: View; revisions: unknown[]; running: unknown[] }>('deployments', 'show', '1');
    expect([document.deployment.slug, document.revisions.length, document.running.length]).toEqual(['deployment-1', 1, 1]);
  });

  it('models lists the usable models', async () => {
    const { models } = await rig.json<{ models: { name: string; bytes: number; deployments: number[] }[] }>('deployments', 'models');
    expect(models.find(({ name }) => name.startsWith('svc-tiny'))).toMatchObject({ bytes: expect.any(Number) });
    expect((await rig.run('deployments', 'models')).stdout).toMatch(/^svc-tiny\S+ +\d+\.\d MiB .*deployment-1/m);
  });

  it('log prints engine lines without control characters', async () => {
    expect((await rig.run('deployments', 'log', '1')).stdout).toBe('No lines.\n');
    agent.logs.set(1, [
      { at: 1_700_000_000_000, rev: 1, text: 'first' },
      { at: 1_700_000_001_000, rev: 1, text: 'sec\u001B[2Jond' },
    ]);
    const line = `2023-11-14T22:13:21.000Z host-${agent.wk} rev 1  sec\uFFFD[2Jond\n`;
    expect((await rig.run('deployments', 'log', '1', '--lines', '1')).stdout).toBe(line);
    const { deployment, lines } = await rig.json<{ deployment: string; lines: { text: string }[] }>('deployments', 'log', '1');
    expect([deployment, lines.map(({ text }) => text)]).toEqual(['deployment-1', ['first', 'sec\u001B[2Jond']]);
  });
});

describe('aliases', () => {
  it('point creates and moves an alias', async () => {
    expect((await rig.run('aliases', 'point', 'demo', '1')).stdout).toBe('local/demo points at deployment-1.\n');
    expect((await rig.json<{ deployment: View }>('deployments', 'show', 'local/demo')).deployment.id).toBe(1);
    expect(await rig.json('aliases', 'point', 'local/demo', 'deployment-2')).toMatchObject({ alias: 'demo', slug: 'deployment-2' });
    expect((await rig.json<{ deployment: View }>('deployments', 'show', 'demo')).deployment.id).toBe(2);
  });

  it('list shows where they point', async () => {
    expect((await rig.run('aliases', 'list')).stdout).toMatch(/^ALIAS +DEPLOYMENT +SINCE\nlocal\/demo +deployment-2 +\S+\n$/);
    expect(await rig.json('aliases', 'list')).toMatchObject({ aliases: [{ alias: 'demo', deployment: 2, slug: 'deployment-2' }] });
  });

  it('remove deletes an alias and refuses unknown ones', async () => {
    expect((await rig.run('aliases', 'remove', 'demo')).stdout).toBe('Removed local/demo.\n');
    expect((await rig.run('aliases', 'remove', 'demo')).stderr).toBe('✗ There is no alias local/demo. (alias_not_found)\n');
    expect((await rig.run('aliases', 'list')).stdout).toBe('No aliases in account local.\n');
  });

  it('two different accounts are refused', async () => {
    expect((await rig.run('aliases', 'remove', 'local/demo', '--account', 'other')).code).toBe(2);
    expect((await rig.run('aliases', 'point', 'local/demo', 'other/demo')).code).toBe(2);
  });
});

describe('a deployment in service', () => {
  it('update --wait returns once the new revision serves', async () => {
    const run = await rig.run('deployments', 'update', '1', '--context', '1024', '--name', 'tiny two', '--wait');
    expect([run.code, run.stdout]).toEqual([0, 'Made revision 2 of deployment-1, it is ready.\n']);
    expect(await rig.json('deployments', 'update', '1', '--name', 'tiny two')).toMatchObject({ changed: false, rev: 2 });
    const shown = await rig.json<{ revisions: { context: number | null }[] }>('deployments', 'show', '1');
    expect(shown.revisions.map(({ context }) => context)).toEqual([1_024, null]);
  });

  it('update switches the store of responses without a new revision', async () => {
    const run = await rig.run('deployments', 'update', '1', '--store-responses', 'on');
    expect([run.code, run.stdout]).toEqual([0, 'deployment-1 stays at revision 2.\n']);
    expect((await rig.run('deployments', 'show', '1')).stdout).toMatch(/^Stores responses +for an hour$/m);
    await rig.run('deployments', 'update', '1', '--store-responses', 'off');
    expect((await rig.run('deployments', 'show', '1')).stdout).toMatch(/^Stores responses +no$/m);
    expect((await rig.run('deployments', 'update', '1', '--store-responses', 'maybe')).code).toBe(2);
  });

  it('update --wait fails when the new revision fails', async () => {
    agent.react = becomes({ state: 'failed', reason: 'model_invalid', detail: 'no GGUF file' });
    const run = await rig.run('deployments', 'update', '1', '--context', 'default', '--wait');
    expect(run.code).toBe(1);
    expect(run.stderr).toMatch(/✗ deployment-1 does not come up: degraded, model_invalid, .*\(deployment_failed\)\n$/);
    agent.react = ready;
    expect((await rig.run('deployments', 'update', '1', '--base', '2', '--wait')).code).toBe(0);
  });

  it('scale --wait returns once every replica answers', async () => {
    const running = rig.begin('deployments', 'scale', '1', '2', '--wait');
    await until('it waits for a second worker', () => running.stderr.includes('deployment-1: degraded'));
    await rig.addAgent();
    expect(await running.ended()).toMatchObject({ code: 0, stdout: 'deployment-1 is to run on 2 workers, and does.\n' });
    expect(await rig.json('deployments', 'scale', '1', '1')).toMatchObject({ slug: 'deployment-1', replicas: 1 });
  });

  it('stop and resume do what they say', async () => {
    expect((await rig.run('deployments', 'stop', '1', '--wait')).stdout).toBe('deployment-1 is stopped.\n');
    expect((await rig.run('deployments', 'resume', '1', '--wait')).stdout).toBe('deployment-1 is ready.\n');
  });

  it('delete requires a stopped deployment and removes aliases', async () => {
    await rig.json('aliases', 'point', 'old', '1');
    const refused = await rig.run('deployments', 'delete', 'old', '--yes');
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringMatching(/\(deployment_not_stopped\)\n$/)]);
    await rig.json('deployments', 'stop', 'old', '--wait');
    expect((await rig.run('deployments', 'delete', 'old', '--yes')).stdout).toBe('Deleted deployment-1 with local/old.\n');
    expect((await rig.run('deployments', 'show', '1')).stderr).toBe(
      '✗ There is no deployment "1" in account local. (deployment_not_found)\n',
    );
  });

  it('delete on a terminal requires the slug', async () => {
    await rig.json('deployments', 'stop', '5', '--wait');
    for (const typed of ['yes\n', 'deployment-2\n', '']) {
      const { code, stderr } = await rig.type(typed, 'deployments', 'delete', '5');
      expect([code, stderr]).toEqual([1, expect.stringContaining('Nothing was deleted.')]);
      expect(stderr).toMatch(/^This deletes deployment-5 \(left\) for good\. Type deployment-5 to go on: /);
    }
    expect((await rig.type('deployment-5\n', 'deployments', 'delete', '5')).code).toBe(0);
    expect((await views()).some(({ id }) => id === 5)).toBe(false);
  });

  it('of another account is not found', async () => {
    await rig.json('accounts', 'create', 'other');
    const run = await rig.run('deployments', 'stop', 'deployment-2', '--account', 'other');
    expect([run.code, run.stderr]).toEqual([1, '✗ There is no deployment "deployment-2" in account other. (deployment_not_found)\n']);
  });
});
