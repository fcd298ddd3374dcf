import { afterAll, beforeAll, expect, it } from 'vitest';
import type { FakeAgent } from '../deployments/fake-agent.js';
import { until } from '../testing/until.js';
import { CliRig, MODEL } from './cli-rig.js';

interface Listed {
  readonly connected: readonly { readonly wk: string; readonly state: string; readonly loads: number }[];
}

let rig: CliRig;
let agent: FakeAgent;

beforeAll(async () => {
  rig = await CliRig.start();
  agent = await rig.addAgent();
  await rig.json('accounts', 'create', 'local');
  await rig.json('deployments', 'create', '--model', MODEL, '--wait');
});
afterAll(() => rig?.end());

const stateOf = async (wk: string): Promise<string | undefined> =>
  (await rig.json<Listed>('workers', 'list')).connected.find((one) => one.wk === wk)?.state;

it('empties a worker as soon as another one serves', async () => {
  const late = await rig.run('drain', agent.wk, '--wait', '--timeout', '1');
  expect([late.code, late.stderr]).toEqual([1, expect.stringContaining('1 replica left (deployment-1)')]);
  expect(agent.runs(1)).toBe(true);
  const reason = '  deployment-1, revision 1: Every worker that could run it is being drained.';
  await until('the reason is known', async () => (await rig.run('drain', agent.wk, '--status')).stdout.includes(reason));
  expect((await rig.run('drain', agent.wk, '--wait', '--timeout', '1')).stderr).toContain(reason);

  const other = await rig.addAgent();
  const run = await rig.run('drain', agent.wk, '--wait');
  expect([run.code, run.stdout]).toEqual([0, `${agent.wk} is empty: its process can be stopped.\n`]);
  expect([agent.runs(1), other.runs(1)]).toEqual([false, true]);
  expect(await stateOf(agent.wk)).toBe('drained');
  expect((await rig.run('workers', 'list')).stdout).toMatch(new RegExp(`^${agent.wk} +host-${agent.wk}.* drained +0 `, 'm'));
  expect((await rig.run('status')).stdout).toContain('2 connected, 1 of them drained');
});

it('gives a worker replicas again with --undo', async () => {
  expect((await rig.run('drain', agent.wk, '--undo', '--wait')).code).toBe(2);
  const run = await rig.run('drain', agent.wk, '--undo');
  expect([run.code, run.stdout]).toEqual([0, `Worker ${agent.wk} gets replicas again.\n`]);
  await rig.json('deployments', 'scale', '1', '2');
  await until('it runs the second replica', () => agent.runs(1));
});

it('refuses a name that no connected worker has', async () => {
  const run = await rig.run('drain', 'nobody');
  expect([run.code, run.stderr]).toEqual([1, expect.stringContaining('There is no connected worker of this name.')]);
});
