import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { isAlive } from '../../testing/is-alive.js';
import { anItem } from '../an-item.js';
import { type Agent, WorkerRig } from '../rig.js';
import { until } from '../until.js';

let rig: WorkerRig;
let agent: Agent;

beforeAll(async () => {
  rig = await new WorkerRig().open();
  agent = await rig.startAgent();
  rig.assign(agent, [anItem(5)]);
  await rig.ready(agent, 5);
});
afterAll(() => rig.close());

it('what is no longer listed is unloaded, nothing else', async () => {
  rig.assign(agent, [anItem(5), anItem(6)]);
  await rig.ready(agent, 6);
  const { pid } = rig.loadOf(agent, 6)!;
  const run = rig.ask(5, 'Hello', { endless: true });
  rig.assign(agent, [anItem(5)]);
  await until('deployment 6 is gone', () => rig.loadOf(agent, 6) === undefined);
  await until('its process has ended', () => !isAlive(pid!));
  expect((await run.done).end.fin).toBe('done');
  expect(rig.loadOf(agent, 5)?.state).toBe('ready');
});

it('a new revision loads while the old one serves', async () => {
  const old = rig.loadOf(agent, 5)!;
  const run = rig.ask(5, 'Hello', { endless: true });
  await until('the first words', () => run.events() > 3);
  rig.assign(agent, [anItem(5, { rev: 2, slots: 1 })]);
  await rig.ready(agent, 5, 2);
  const seen = rig.beats
    .filter(({ loads }) => loads.some(({ rev }) => rev === 2))
    .map(({ loads }) =>
      loads
        .map(({ rev, state }) => `${rev} ${state}`)
        .sort()
        .join(', '),
    );
  expect(seen[0]).toBe('1 ready, 2 loading');
  expect(seen.at(-1)).toMatch(/^(1 draining, )?2 ready$/);
  expect((await run.done).end.fin).toBe('done');
  await until('the old process has ended', () => !isAlive(old.pid!));
  expect((await rig.ask(5, 'Hello', { rev: 2 }).done).text).toMatch(/[a-z]{3}/);
});

it('a broken new revision leaves the old one serving', async () => {
  rig.assign(agent, [anItem(5, { rev: 3, source: { kind: 'file', path: join(rig.folder, 'gone.gguf') } })]);
  expect(await rig.failed(agent, 5, 3)).toMatchObject({ rev: 3, reason: 'model_missing' });
  expect(rig.loadOf(agent, 5, 2)?.state).toBe('ready');
  expect((await rig.ask(5, 'Hello', { rev: 2 }).done).end.fin).toBe('done');
});
