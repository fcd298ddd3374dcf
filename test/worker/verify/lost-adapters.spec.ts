import type { ServedAdapter } from '@slipway/contracts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { WitnessedAdapter } from '../../adapters/witnessed-adapter.js';
import { isAlive } from '../../testing/is-alive.js';
import { AdapterStage } from '../adapter-stage.js';
import type { Agent } from '../rig.js';
import { until } from '../until.js';

let stage: AdapterStage;
let agent: Agent;
let [one, two]: WitnessedAdapter[] = [];
beforeAll(async () => {
  stage = await AdapterStage.open();
  [one, two] = [await stage.adapter({ seed: 1 }), await stage.adapter({ seed: 2 })];
  agent = await stage.rig.startAgent();
});
afterAll(() => stage.close());

/** Both adapters of the file, and what they answer. */
const both = (): [WitnessedAdapter, WitnessedAdapter] => [one!, two!];
const answer = async (dep: number): Promise<string> => (await stage.rig.ask(dep, 'Who are you?', { maxTokens: 40 }).done).text;
const other = (facts: Partial<ServedAdapter>): Pick<WitnessedAdapter, 'facts'> => ({ facts: { ...one!.facts, ...facts } });

describe('a stream whose worker is lost', () => {
  it('ends with an error and continues on no other adapter', async () => {
    const [a, b] = both();
    const second = await stage.rig.startAgent();
    const settings = { context: null, slots: 4 };
    stage.rig.assign(agent, [stage.item(30, a, settings)]);
    stage.rig.assign(second, [stage.item(30, b, settings)]);
    const load = await stage.rig.ready(agent, 30);
    await stage.rig.ready(second, 30);
    const owner = await until('both runners', () => {
      const runners = stage.rig.runnersOf(30);
      return runners.length === 2 && runners;
    });
    expect(owner[0]?.fp).not.toBe(owner[1]?.fp);
    const facts = await until('the first runner is known', () =>
      agent
        .output()
        .split('\n')
        .find((line) => line.includes('placement.ready') && line.includes(`"pid":${load.pid}`)),
    );
    const { runner } = JSON.parse(facts) as { runner: (typeof owner)[number]['wk'] };
    const runs = [1, 2, 3, 4].map((nth) => stage.rig.ask(30, `Hello ${nth}`, { endless: true, worker: runner }));
    await until('some tokens of each', () => runs.every((run) => run.events() > 0));
    process.kill(load.pid!, 'SIGKILL');
    await Promise.all(runs.map((run) => expect(run.done).rejects.toMatchObject({ code: expect.any(String) as string })));
    const texts = runs.map((run) => run.text());
    await until(
      'it is loaded again',
      () => (stage.rig.loadOf(agent, 30)?.pid ?? load.pid) !== load.pid && stage.rig.loadOf(agent, 30)?.state === 'ready',
    );
    expect(runs.map((run) => run.text())).toEqual(texts);
  });
});

describe('many adapters', () => {
  it('that fail or crash leave the others serving', async () => {
    const [a, b] = both();
    const wrong = stage.item(62, other({ witness: b.facts.witness }));
    stage.rig.assign(agent, [stage.item(61, a), wrong]);
    const { pid } = await stage.rig.ready(agent, 61);
    expect((await stage.rig.failed(agent, 62)).reason).toBe('witness_failed');
    expect([stage.rig.loadOf(agent, 61)?.state, isAlive(pid!)]).toEqual(['ready', true]);
    stage.rig.assign(agent, [stage.item(61, a), stage.item(63, b)]);
    expect((await stage.rig.ready(agent, 63)).pid).toBe(pid);
    const [first, second] = [await answer(61), await answer(63)];
    process.kill(pid!, 'SIGKILL');
    await until('both are loaded again', () =>
      [61, 63].every((dep) => stage.rig.loadOf(agent, dep)?.state === 'ready' && stage.rig.loadOf(agent, dep)?.pid !== pid),
    );
    expect([await answer(61), await answer(63)]).toEqual([first, second]);
  });
});
