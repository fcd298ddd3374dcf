import { expect, vi } from 'vitest';
import { downloaded, downloadTest as it, expectProgress, model, startAgent } from '../download-stage.js';
import { until } from '../until.js';

// Each download is a process, which takes its time to start on a busy machine.
vi.setConfig({ testTimeout: 180_000 });

it('a model is fetched once for two deployments and two workers', async ({ rig, host }) => {
  // Heartbeats show the progress once a second, so the download takes several.
  host.serve('/tiny.gguf', model, { pauseMs: 100 });
  const uri = host.url('/tiny.gguf');
  const agent = await startAgent({ rig, host });
  rig.assign(agent, [downloaded(1, uri), downloaded(2, uri)]);
  await Promise.all([rig.ready(agent, 1), rig.ready(agent, 2)]);

  expect((await rig.ask(1, 'Hello').done).text).toMatch(/[a-z]{3}/);
  expectProgress(rig, 1);
  await until('the agent tells what it has', () => rig.beatOf(agent)?.cached.includes(uri));

  const before = host.requests.length;
  const second = await startAgent({ rig, host });
  expect(rig.beatOf(second)?.cached).toEqual([uri]);
  rig.assign(second, [downloaded(3, uri)]);
  await rig.ready(second, 3);
  expect(host.requests.length).toBe(before);
});
