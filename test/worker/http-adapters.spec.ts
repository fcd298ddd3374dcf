import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AdapterEngine } from '../adapters/adapter-engine.js';
import { HttpAdapterStage } from './http-adapter-stage.js';
import type { HostedAgent } from './rig.js';
import { until } from './until.js';

let stage: HttpAdapterStage;
let vllm: AdapterEngine;
let sglang: AdapterEngine;
let agent: HostedAgent;
beforeAll(async () => {
  stage = await HttpAdapterStage.open();
  [vllm, sglang] = [await stage.engine('vllm'), await stage.engine('sglang')];
  agent = await stage.agent();
});
afterAll(() => stage.close());

const folderOf = (sha256: string): string => join(stage.exports, sha256);
const configOf = (sha256: string): unknown => JSON.parse(readFileSync(join(folderOf(sha256), 'adapter_config.json'), 'utf8'));

// Lost engines under streams and many adapters are under verify.
describe('an adapter of an HTTP engine', () => {
  it('is written where the engine reads it, and served', async () => {
    const [one, two] = [stage.adapter(1), stage.adapter(2)];
    stage.rig.assign(agent, [stage.item(1, one, vllm), stage.item(2, two, vllm), stage.item(3, one, sglang)]);
    for (const dep of [1, 2, 3]) await stage.rig.ready(agent, dep);
    expect([await stage.answer(1), await stage.answer(2), await stage.answer(3)]).toEqual([
      'adapter 1 answers',
      'adapter 2 answers',
      'adapter 1 answers',
    ]);
    expect(vllm.loaded.toSorted()).toEqual([one.facts.sha256, two.facts.sha256].toSorted());
    expect(configOf(two.facts.sha256)).toMatchObject({ r: 8, base_model_name_or_path: vllm.model });
    expect(stage.rig.beatOf(agent)?.features).toEqual(['adapter', 'adapter-export']);
    expect(agent.output()).not.toContain('ticket-');
    const prints = [1, 2, 3].map((dep) => stage.rig.runnersOf(dep)[0]?.fp);
    expect(new Set(prints).size).toBe(3);
  });

  it('is unloaded with its last deployment there', async () => {
    const one = stage.adapter(1);
    stage.rig.assign(agent, [stage.item(1, one, vllm), stage.item(4, one, vllm)]);
    for (const dep of [1, 4]) await stage.rig.ready(agent, dep);
    await until('those of other tests are unloaded', () => vllm.loaded.length === 1);
    stage.rig.assign(agent, [stage.item(4, one, vllm)]);
    await until('one is gone', () => stage.rig.loadOf(agent, 1) === undefined);
    expect([vllm.loaded, await stage.answer(4)]).toEqual([[one.facts.sha256], 'adapter 1 answers']);
    stage.rig.assign(agent, []);
    await until('nothing is loaded', () => vllm.loaded.length === 0);
    expect(readdirSync(join(stage.exports, '.uses', one.facts.sha256))).toEqual([]);
  });

  it('whose folder was changed is written anew', async () => {
    const five = stage.adapter(5);
    stage.rig.assign(agent, [stage.item(5, five, vllm)]);
    await stage.rig.ready(agent, 5);
    writeFileSync(join(folderOf(five.facts.sha256), 'adapter_model.safetensors'), stage.adapter(6).weights);
    stage.rig.assign(agent, [stage.item(5, five, vllm, 2)]);
    await stage.rig.ready(agent, 5, 2);
    expect(readFileSync(join(folderOf(five.facts.sha256), 'adapter_model.safetensors'))).toEqual(five.weights);
  });
});

describe('what never gets ready on an HTTP engine', () => {
  it('is an adapter that its engine does not take', async () => {
    stage.rig.assign(agent, [stage.item(10, stage.adapter(10, { rank: 64 }), vllm)]);
    expect(await stage.rig.failed(agent, 10)).toMatchObject({
      reason: 'adapter_mismatch',
      detail: expect.stringMatching(/rank 64.*at most 16.*--max-lora-rank/),
    });
  });

  it('is the bare base, or another adapter, under its name', async () => {
    const bare = await stage.engine();
    const host = await stage.agent();
    const [eleven, twelve] = [stage.adapter(11), stage.adapter(12)];
    bare.isBare = true;
    // Stored under the wrong adapter: the files are what their hash says.
    stage.tuning.add({ ...stage.tuning.adapters.get(12)!, peft: eleven.peft });
    stage.rig.assign(host, [stage.item(11, eleven, bare), stage.item(12, twelve, vllm)]);
    for (const dep of [11, 12]) {
      expect((await stage.rig.failed(host, dep)).reason).toBe('witness_failed');
      expect(stage.rig.runnersOf(dep)).toEqual([]);
    }
    expect(bare.chats).toEqual([]);
  });

  it('is an adapter on a worker without a shared folder', async () => {
    const host = await stage.agent({ ADAPTER_EXPORT_DIR: '' });
    stage.rig.assign(host, [stage.item(13, stage.adapter(13), vllm)]);
    expect(await stage.rig.failed(host, 13)).toMatchObject({
      reason: 'engine_refused',
      detail: expect.stringContaining('ADAPTER_EXPORT_DIR'),
    });
    expect(stage.rig.beatOf(host)?.features).toEqual(['adapter']);
  });
});
