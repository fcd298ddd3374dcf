import { type AccountId, CreateDeployment, DeleteAdapter, DeleteDeployment, StopDeployment } from '@slipway/contracts';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { until } from '../testing/until.js';
import { AdapterEngine } from './adapter-engine.js';
import { MODEL, ServedStage } from './served-stage.js';
import { untrainedAdapter } from './untrained-adapter.js';

let engine: AdapterEngine;
let stage: ServedStage;

beforeAll(async () => {
  engine = await new AdapterEngine('vllm').start();
  stage = await ServedStage.start(engine.url);
});
afterAll(async () => {
  await stage?.end();
  await engine?.stop();
});

it('a trained adapter is served, and kept while it is', async () => {
  const account = 501 as AccountId;
  const adapter = await stage.trained(account, 'right', stage.adapter);
  const { id: deployment } = await stage.rig.ask(CreateDeployment, { account, name: 'right', adapter: { id: adapter }, context: 512 });
  expect(await stage.seen(account, deployment, 'ready')).toMatchObject({
    adapter: { id: adapter, name: 'right', version: 1, sha256: stage.adapter.facts.sha256 },
    source: { kind: 'file', path: MODEL },
  });
  expect((await stage.rig.outcome(DeleteAdapter, { account, adapter })).code).toBe('adapter_in_use');
  await stage.rig.ask(StopDeployment, { account, deployment });
  await stage.seen(account, deployment, 'stopped');
  await stage.rig.ask(DeleteDeployment, { account, deployment });
  await until('the adapter can be deleted', async () => (await stage.rig.outcome(DeleteAdapter, { account, adapter })).code === undefined);
});

it('a trained adapter is served by an HTTP engine, which forgets it afterwards', async () => {
  const account = 503 as AccountId;
  const { weights, peft } = untrainedAdapter(9);
  engine.teach(weights, stage.adapter, 'the tuned answer');
  const adapter = await stage.trained(account, 'elsewhere', { content: stage.adapter.content, archive: peft });
  const source = { kind: 'http', url: engine.url, model: engine.model } as const;
  const { id: deployment } = await stage.rig.ask(CreateDeployment, { account, name: 'elsewhere', adapter: { id: adapter }, source });
  expect(await stage.seen(account, deployment, 'ready')).toMatchObject({ adapter: { id: adapter }, source });
  expect(engine.loaded).toEqual([stage.adapter.facts.sha256]);
  expect((await stage.rig.outcome(DeleteAdapter, { account, adapter })).code).toBe('adapter_in_use');
  await stage.rig.ask(StopDeployment, { account, deployment });
  await stage.seen(account, deployment, 'stopped');
  await until('the engine has forgotten it', async () => engine.loaded.length === 0);
});
