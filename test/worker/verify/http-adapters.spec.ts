import { afterAll, beforeAll, expect, it } from 'vitest';
import type { AdapterEngine, EngineFlavour } from '../../adapters/adapter-engine.js';
import { HttpAdapterStage } from '../http-adapter-stage.js';
import type { HostedAgent } from '../rig.js';
import { until } from '../until.js';

const ADAPTERS = 20;
const REQUESTS = 200;

let stage: HttpAdapterStage;
const engines = new Map<EngineFlavour, AdapterEngine>();
let agents: HostedAgent[] = [];
beforeAll(async () => {
  stage = await HttpAdapterStage.open();
  for (const flavour of ['vllm', 'sglang'] as const) engines.set(flavour, await stage.engine(flavour));
  agents = [await stage.agent(), await stage.agent()];
});
afterAll(() => stage.close());

const ready = (dep: number): Promise<unknown> => Promise.all(agents.map((agent) => stage.rig.ready(agent, dep)));
const assign = (items: Parameters<HttpAdapterStage['rig']['assign']>[1]): void => {
  for (const agent of agents) stage.rig.assign(agent, items);
};

it.each<EngineFlavour>(['vllm', 'sglang'])(
  'a restart of %s under requests never answers as the base',
  async (flavour) => {
    const engine = engines.get(flavour)!;
    const dep = flavour === 'vllm' ? 1 : 2;
    assign([stage.item(dep, stage.adapter(dep), engine)]);
    await ready(dep);
    const answers: string[] = [];
    let failed = 0;
    let isOver = false;
    const lane = async (): Promise<void> => {
      while (!isOver)
        await stage.answer(dep).then(
          (text) => answers.push(text),
          () => (failed += 1),
        );
    };
    const lanes = Array.from({ length: 8 }, lane);
    for (let restarts = 0; restarts < 5; restarts += 1) {
      const before = answers.length;
      await until('answers come', () => answers.length > before + 50);
      await engine.restart();
    }
    const before = answers.length;
    await until('answers come again', () => answers.length > before + 50);
    isOver = true;
    await Promise.all(lanes);
    expect(new Set(answers)).toEqual(new Set([`adapter ${dep} answers`]));
    expect(failed).toBeLessThan(answers.length / 10);
  },
  300_000,
);

it('streams that a killed engine breaks off end as failed', async () => {
  const engine = engines.get('vllm')!;
  assign([stage.item(5, stage.adapter(5), engine)]);
  await ready(5);
  let goOn: (value?: unknown) => void = () => undefined;
  engine.pause = new Promise((resolve) => (goOn = resolve));
  const runs = Array.from({ length: 4 }, () => stage.rig.ask(5, 'Hi'));
  await until('all have begun', () => runs.every((run) => run.text() === 'adapter'));
  await engine.stop();
  for (const run of runs) {
    await expect(run.done).rejects.toMatchObject({ code: 'engine_error' });
    expect(run.text()).toBe('adapter');
  }
  goOn();
  engine.isBare = true;
  await engine.start();
  for (const agent of agents) expect((await stage.rig.failed(agent, 5)).reason).toBe('witness_failed');
  expect(engine.chats.filter(({ model }) => model === engine.model)).toEqual([]);
  engine.isBare = false;
  await engine.restart();
  await ready(5);
  expect(await stage.answer(5)).toBe('adapter 5 answers');
}, 300_000);

it('twenty adapters answer 200 requests at once, none as another', async () => {
  const deps = Array.from({ length: ADAPTERS }, (_, i) => 100 + i);
  const both = [...engines.values()];
  assign(deps.map((dep, i) => stage.item(dep, stage.adapter(dep), both[i % both.length]!)));
  for (const dep of deps) await ready(dep);
  const asked = Array.from({ length: REQUESTS }, (_, i) => deps[i % ADAPTERS]!);
  const answers = await Promise.all(asked.map((dep) => stage.answer(dep)));
  expect(answers).toEqual(asked.map((dep) => `adapter ${dep} answers`));
}, 300_000);

it('an engine that is slow to load keeps its replica loading', async () => {
  const engine = engines.get('vllm')!;
  let arrived: (value?: unknown) => void = () => undefined;
  engine.loading = new Promise((resolve) => (arrived = resolve));
  assign([stage.item(7, stage.adapter(7), engine)]);
  await until('both ask for it', () => engine.calls.filter((call) => call.includes(stage.adapter(7).facts.sha256)).length === 2);
  expect(agents.map((agent) => stage.rig.loadOf(agent, 7))).toMatchObject([{ state: 'loading' }, { state: 'loading' }]);
  arrived();
  await ready(7);
  expect(await stage.answer(7)).toBe('adapter 7 answers');
});
