import { expect, vi } from 'vitest';
import { downloaded, downloadTest as it, expectProgress, model, startAgent } from './download-stage.js';

// Each download is a process, which takes its time to start on a busy machine.
vi.setConfig({ testTimeout: 180_000 });

// What two deployments, another worker and a host with faults change is under verify.
it('a model is fetched with its progress shown, and answers', async ({ rig, host }) => {
  // Heartbeats show the progress once a second, so the download takes several.
  host.serve('/tiny.gguf', model, { pauseMs: 100 });
  const agent = await startAgent({ rig, host });
  rig.assign(agent, [downloaded(1, host.url('/tiny.gguf'))]);
  await rig.ready(agent, 1);
  expect((await rig.ask(1, 'Hello').done).text).toMatch(/[a-z]{3}/);
  expectProgress(rig, 1);
});
