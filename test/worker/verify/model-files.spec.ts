import { copyFile, symlink, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { anItem } from '../an-item.js';
import { type Agent, MODEL, WorkerRig } from '../rig.js';
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

const file = (path: string): Pick<ReturnType<typeof anItem>, 'source'> => ({ source: { kind: 'file', path } });

it('bad model files say why and stop no others', async () => {
  const cut = join(rig.folder, 'cut.gguf');
  await copyFile(MODEL, cut);
  await truncate(cut, 700_000);
  await writeFile(join(rig.folder, 'empty.gguf'), '');
  await symlink('/etc/passwd', join(rig.folder, 'link.gguf'));
  rig.assign(agent, [
    anItem(5),
    anItem(11, file(join(rig.folder, 'gone.gguf'))),
    anItem(12, file('/etc/passwd')),
    anItem(13, file(join(rig.folder, 'link.gguf'))),
    anItem(14, file(cut)),
    anItem(15, file(join(rig.folder, 'empty.gguf'))),
  ]);
  for (const dep of [11, 12, 13]) {
    expect(await rig.failed(agent, dep)).toMatchObject({
      reason: 'model_missing',
      detail: 'There is no such model file in the model folders of this worker.',
      progress: null,
    });
  }
  for (const dep of [14, 15])
    expect(await rig.failed(agent, dep)).toMatchObject({ reason: 'model_invalid', detail: expect.stringMatching(/GGUF/) });
  expect((await rig.ask(5, 'Hello').done).end.fin).toBe('done');
});

it('a model file that appears later is loaded', async () => {
  const path = join(rig.folder, 'late.gguf');
  rig.assign(agent, [anItem(5), anItem(16, file(path))]);
  await rig.failed(agent, 16);
  await copyFile(MODEL, path);
  expect(await rig.ready(agent, 16)).toMatchObject({ reason: null, detail: null });
});

it('an overruled placer changes nothing', async () => {
  rig.assign(agent, [anItem(5), anItem(6)], 3);
  await rig.ready(agent, 6);
  rig.assign(agent, [], 2);
  const beats = rig.beats.length;
  await until('three more heartbeats', () => rig.beats.length > beats + 3);
  expect(rig.beatOf(agent)?.loads.map(({ dep, state }) => [dep, state])).toEqual([
    [5, 'ready'],
    [6, 'ready'],
  ]);
});
