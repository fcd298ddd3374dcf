import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const LIBS = fileURLToPath(new URL('../../libs/platform', import.meta.url));
const RUNNER = new URL('../../apps/inference-worker/dist/runner/runner-process.js', import.meta.url).href;
const run = promisify(execFile);

/** Nest brings the metadata of decorators, which nothing else here needs. */
const loadsNest = async (module: string): Promise<boolean> => {
  const script = `await import(${JSON.stringify(module)}); process.stdout.write(String('getMetadata' in Reflect));`;
  const { stdout } = await run(process.execPath, ['--input-type=module', '-e', script], { cwd: LIBS });
  return stdout === 'true';
};

// Nest takes 35 MB and half a second of CPU in each process.
it('a runner and the stream transport load no Nest', async () => {
  expect(await Promise.all([loadsNest(RUNNER), loadsNest('@slipway/stream-transport')])).toEqual([false, false]);
  expect(await loadsNest('@slipway/platform/service')).toBe(true);
});
