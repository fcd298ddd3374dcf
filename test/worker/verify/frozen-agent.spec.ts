import { afterEach, beforeEach, expect, it } from 'vitest';
import { anItem } from '../an-item.js';
import { WorkerRig } from '../rig.js';
import { until } from '../until.js';

let rig: WorkerRig;

beforeEach(async () => {
  rig = await new WorkerRig().open();
});
afterEach(() => rig.close());

it('an agent that was frozen restarts no runner', async () => {
  const agent = await rig.startAgent({ RUNNER_SILENCE_MS: '5000' });
  rig.assign(agent, [anItem(1)]);
  const { pid } = await rig.ready(agent, 1);
  agent.child.kill('SIGSTOP');
  await new Promise((resolve) => setTimeout(resolve, 8_000));
  agent.child.kill('SIGCONT');
  const beats = rig.beats.length;
  await until('three more heartbeats', () => rig.beats.length > beats + 3);
  expect(rig.loadOf(agent, 1)).toMatchObject({ pid, state: 'ready' });
});
