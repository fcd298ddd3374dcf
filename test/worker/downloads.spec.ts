import { expect, vi } from 'vitest';
import { downloaded, downloadTest as it, model, startAgent } from './download-stage.js';
import { until } from './until.js';

// Each download is a process, which takes its time to start on a busy machine.
vi.setConfig({ testTimeout: 180_000 });

it.concurrent('a model is fetched once, with its progress shown', async ({ rig, host }) => {
  // Heartbeats show the progress once a second, so the download takes several.
  host.serve('/tiny.gguf', model, { pauseMs: 100 });
  const uri = host.url('/tiny.gguf');
  const agent = await startAgent({ rig, host });
  rig.assign(agent, [downloaded(1, uri), downloaded(2, uri)]);
  await Promise.all([rig.ready(agent, 1), rig.ready(agent, 2)]);

  expect((await rig.ask(1, 'Hello').done).text).toMatch(/[a-z]{3}/);
  const shown = rig.beats
    .map(({ loads }) => loads.find(({ dep }) => dep === 1)?.progress)
    .filter((progress) => typeof progress === 'number');
  expect(shown.some((progress) => progress > 0.1 && progress < 0.9)).toBe(true);
  expect(shown).toEqual(shown.toSorted((a, b) => a - b));
  await until('the agent tells what it has', () => rig.beatOf(agent)?.cached.includes(uri));

  const before = host.requests.length;
  const second = await startAgent({ rig, host });
  expect(rig.beatOf(second)?.cached).toEqual([uri]);
  rig.assign(second, [downloaded(3, uri)]);
  await rig.ready(second, 3);
  expect(host.requests.length).toBe(before);
});
