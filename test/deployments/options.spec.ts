import { statSync } from 'node:fs';
import { FindDeploymentOptions, FitDeployment, ggufMemory, SetDeploymentQuotas } from '@slipway/contracts';
import { expect } from 'vitest';
import { until } from '../testing/until.js';
import { keepsLoading } from './fake-agent.js';
import { anAccount, ENGINE_HOST, MODEL } from './rig.js';
import { rigTest as it } from './rig-test.js';

const GIB = 2 ** 30;
const file = { kind: 'file', path: MODEL } as const;

it('options show what the operator allows and quotas', async ({ rig }) => {
  await rig.startReplica({ MODEL_HOSTS: '', THREADS_MAX: '8', REPLICAS_MAX: '3' });
  rig.startAgent({ facts: { engines: ['llama', 'http'] } });
  rig.startAgent({ facts: { engines: ['llama'] } });
  const account = anAccount();
  await rig.create(account, { replicas: 2 });
  await rig.ask(SetDeploymentQuotas, { account, quotas: { deployments: 7 } });
  const options = await until('both workers are known', async () => {
    const found = await rig.ask(FindDeploymentOptions, { account });
    return found.workers === 2 && found;
  });
  expect(options).toMatchObject({
    sources: { file: { allowed: true, hosts: [] }, download: { allowed: false }, http: { allowed: true, hosts: [ENGINE_HOST] } },
    defaults: { replicas: { file: 1, http: 2 }, slots: { file: 4, http: 512 } },
    max: { threads: 8, replicas: 3 },
    engines: [
      { kind: 'http', workers: 1 },
      { kind: 'llama', workers: 2 },
    ],
    quotas: { deployments: 7, replicas: 200, aliases: 200 },
    used: { deployments: 1, replicas: 2, aliases: 0 },
  });
  expect(options.sources.download.detail).toContain('MODEL_HOSTS of deployments-service and of the workers');
});

it('fit counts what is placed, like the placer', async ({ rig }) => {
  await rig.startReplica();
  const [large, small] = [
    rig.startAgent({ facts: { host: 'a-large', mem_free: 8 * GIB, mem_total: 16 * GIB }, react: keepsLoading }),
    rig.startAgent({ facts: { host: 'b-small', mem_free: 1_000, engines: ['llama', 'http'] } }),
  ];
  rig.startAgent({ facts: { host: 'c-none', engines: ['http'] } });
  const account = anAccount();
  const fit = (changes: object = {}) => rig.ask(FitDeployment, { account, source: file, context: 4_096, slots: 2, ...changes });
  const needed = ggufMemory({ fileBytes: statSync(MODEL).size, context: 4_096, slots: 2 });
  const first = await until('all workers are known', async () => {
    const found = await fit();
    return found.workers.length === 3 && found;
  });
  expect(first).toMatchObject({ model_bytes: statSync(MODEL).size, memory_needed: needed, replicas: 1, placeable: 1 });
  expect(first.workers).toMatchObject([
    {
      agent: large.wk,
      cores: 4,
      memory_total: 16 * GIB,
      memory_free: 8 * GIB,
      memory_needed: needed,
      fits: true,
      detail: null,
      load_ms: null,
    },
    { agent: small.wk, memory_total: null, fits: false, detail: expect.stringContaining('GiB') as string },
    { host: 'c-none', fits: false, detail: 'This worker does not run this kind of engine.' },
  ]);

  // A deployment that is still loading has its memory to come.
  const deployment = await rig.create(account, { context: 4_096, slots: 2 });
  await rig.seen(account, deployment, 'loading');
  const second = await until('its memory is taken', async () => {
    const found = await fit();
    return found.workers[0]!.memory_free < 8 * GIB && found;
  });
  expect(second.workers[0]).toMatchObject({ memory_free: 8 * GIB - needed, fits: true });
  large.say(deployment, { state: 'ready', progress: null });
  await rig.seen(account, deployment, 'ready');
  const third = await until('its load was timed', async () => {
    const found = await fit();
    return found.workers[0]!.load_ms !== null && found;
  });
  expect(third.workers[0]!.load_ms).toBeGreaterThan(0);
});

it('fit is unknown where the size is unknown', async ({ rig }) => {
  await rig.startReplica();
  rig.startAgent();
  const account = anAccount();
  const source = { kind: 'download', uri: 'hf:user/repo/file.gguf' } as const;
  const found = await until('the worker is known', async () => {
    const answer = await rig.ask(FitDeployment, { account, source });
    return answer.workers.length === 1 && answer;
  });
  expect(found).toMatchObject({ model_bytes: null, memory_needed: null, placeable: null, workers: [{ memory_needed: null, fits: null }] });
  const engine = await rig.ask(FitDeployment, { account, source: { kind: 'http', url: `http://${ENGINE_HOST}`, model: 'm' } });
  expect(engine).toMatchObject({
    model_bytes: null,
    memory_needed: 0,
    replicas: 2,
    placeable: 1,
    workers: [{ memory_needed: 0, fits: true }],
  });
  const elsewhere = { kind: 'http', url: 'http://10.0.0.1', model: 'm' } as const;
  await expect(rig.ask(FitDeployment, { account, source: elsewhere })).rejects.toMatchObject({ code: 'source_not_allowed' });
});
