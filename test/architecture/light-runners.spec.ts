import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const LIBS = fileURLToPath(new URL('../../libs/platform', import.meta.url));
const RUNNER = new URL('../../apps/inference-worker/dist/runner/runner-process.js', import.meta.url).href;
const run = promisify(execFile);

/** Which heavy libraries come with a module: Nest brings the metadata of decorators, zod a registry, prom-client is in CommonJS's cache. */
const heavyPartsOf = async (module: string): Promise<unknown> => {
  const script = `import Module from 'node:module'; await import(${JSON.stringify(module)});
    const hasMetrics = Object.keys(Module._cache).some((path) => path.includes('/prom-client/'));
    process.stdout.write(JSON.stringify({ nest: 'getMetadata' in Reflect, metrics: hasMetrics, schemas: '__zod_globalRegistry' in globalThis }));`;
  const { stdout } = await run(process.execPath, ['--input-type=module', '-e', script], { cwd: LIBS });
  return JSON.parse(stdout);
};

// Nest takes 35 MB and half a second of CPU in each process, prom-client a tenth of that.
it('a runner and the stream transport load neither Nest nor metrics', async () => {
  const light = { nest: false, metrics: false, schemas: true };
  expect(await Promise.all([heavyPartsOf(RUNNER), heavyPartsOf('@slipway/stream-transport')])).toEqual([light, light]);
  expect(await heavyPartsOf('@slipway/platform/service')).toEqual({ nest: true, metrics: true, schemas: true });
});

// A thread is started for each data set that is checked.
it('a check of data sets loads no schema', async () => {
  expect(await heavyPartsOf('@slipway/datasets')).toEqual({ nest: false, metrics: false, schemas: false });
});
