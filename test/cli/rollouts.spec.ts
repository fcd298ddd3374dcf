import { afterAll, beforeAll, expect, it } from 'vitest';
import { ScriptedTuning } from '../adapters/scripted-tuning.js';
import { becomes } from '../deployments/fake-agent.js';
import { CliRig, MODEL } from './cli-rig.js';

let rig: CliRig;

beforeAll(async () => {
  rig = await CliRig.start();
  const agent = await rig.addAgent();
  agent.react = becomes({ state: 'ready', context: 2_048, caps: ['tools'] });
  await rig.json('accounts', 'create', 'local');
  for (const name of ['one', 'two']) await rig.run('deployments', 'create', '--model', MODEL, '--name', name, '--wait');
  await rig.run('aliases', 'point', 'demo', '1');
});
afterAll(() => rig?.end());

const shown = { account: 'local', alias: 'demo', stable: 1, candidate: 2 };

it('an alias is moved in steps, and returned', async () => {
  expect((await rig.run('rollouts', 'show')).stdout).toBe('No rollouts in account local.\n');
  const started = await rig.json(
    'rollouts',
    'start',
    'demo',
    '2',
    '--steps',
    '10,60',
    '--by-hand',
    '--requests',
    '20',
    '--checks',
    'errors,cut',
  );
  expect(started).toMatchObject({
    ...shown,
    state: 'running',
    percent: 10,
    minutes: null,
    guard: { requests: 20, checks: ['errors', 'cut'] },
  });
  expect((await rig.run('aliases', 'point', 'demo', '2')).stderr).toMatch(/Promote it or roll it back first\. \(rollout_in_progress\)\n$/);
  expect(await rig.json('rollouts', 'advance', 'local/demo')).toMatchObject({ percent: 60, at_step: 1 });
  const one = await rig.run('rollouts', 'show', 'demo');
  expect(one.stdout).toMatch(/^Candidate +deployment-2, 60 % \(running\)$/m);
  expect(one.stdout).toMatch(/^Guard +errors, cut, from 20 requests on$/m);
  expect(one.stdout).toMatch(/^requests +0 +0$/m);
  expect(await rig.json('rollouts', 'promote', 'demo')).toMatchObject({ state: 'promoted', percent: 100 });
  expect((await rig.run('aliases', 'list')).stdout).toContain('deployment-2');
  const back = await rig.run('rollouts', 'back', 'demo', '--reason', 'It answers in French.');
  expect(back.stdout).toMatch(/^Reason +It answers in French\.$/m);
  expect((await rig.run('rollouts', 'show')).stdout).toMatch(/^local\/demo +deployment-1 +deployment-2 +0 % \(rolled back\) +\S+$/m);
  expect((await rig.run('rollouts', 'advance', 'demo')).stderr).toContain('(rollout_not_found)');
});

it('a rollout with wrong settings is not begun', async () => {
  for (const wrong of [
    ['--steps', '60,10'],
    ['--steps', 'a'],
    ['--minutes', '0'],
    ['--requests', '1'],
    ['--checks', 'taste'],
  ]) {
    expect((await rig.run('rollouts', 'start', 'demo', '2', ...wrong)).code, wrong.join(' ')).toBe(2);
  }
  expect((await rig.run('rollouts', 'start', 'demo', '2', '--by-hand', '--minutes', '5')).code).toBe(2);
  expect((await rig.run('rollouts', 'start', 'nobody', '2')).stderr).toContain('(alias_not_found)');
});

it('a rollout says what its suite found', async () => {
  const tuning = await ScriptedTuning.start(await rig.bus.connect('tuning'));
  try {
    const graders = [
      {
        grader: 0,
        passed: 5,
        of: 10,
        rate: null,
        delta: { points: 0, low: -20, high: 20, better: 0, worse: 0, items: 10, is_certain: false },
      },
    ];
    const result = { deployment: 2, answered: 10, failed: 0, graders, preferences: [], median_ms: null };
    tuning.suites.set(4, { state: 'succeeded', done: 20, result });
    expect((await rig.run('rollouts', 'start', 'demo', '2', '--suite', 'other')).stderr).toContain('(suite_not_found)');
    const started = await rig.json('rollouts', 'start', 'demo', '2', '--suite', 'support');
    expect(started).toMatchObject({ ...shown, suite: { suite: 4, evaluation: 4, state: 'passed' } });
    const { stdout } = await rig.run('rollouts', 'show', 'demo');
    expect(stdout).toMatch(/^Suite +passed; evaluation 4; The suite support \(evaluation 4\): no grader is certainly worse/m);
    expect(stdout).toMatch(/^exact +0 points +-20 to 20 +10 +not worse$/m);
  } finally {
    await rig.run('rollouts', 'back', 'demo');
    await tuning.stop();
  }
});

it('an account is deleted although one runs', async () => {
  await rig.run('rollouts', 'start', 'demo', '2');
  const { stdout, code } = await rig.run('accounts', 'delete', 'local', '--yes');
  expect([code, stdout]).toEqual([0, expect.stringContaining('with 2 deployments')]);
});
