import type { ServedAdapter } from '@slipway/contracts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { WitnessedAdapter } from '../adapters/witnessed-adapter.js';
import { anItem } from './an-item.js';
import { AdapterStage } from './adapter-stage.js';
import type { HostedAgent } from './rig.js';

let stage: AdapterStage;
let agent: HostedAgent;
let [one, two]: WitnessedAdapter[] = [];
beforeAll(async () => {
  stage = await AdapterStage.open();
  [one, two] = [await stage.adapter({ seed: 1 }), await stage.adapter({ seed: 2 })];
  agent = await stage.rig.hostAgent();
});
afterAll(() => stage.close());

/** Both adapters of the file, and what they answer. */
const both = (): [WitnessedAdapter, WitnessedAdapter] => [one!, two!];
const answer = async (dep: number): Promise<string> => (await stage.rig.ask(dep, 'Who are you?', { maxTokens: 40 }).done).text;
const other = (facts: Partial<ServedAdapter>): Pick<WitnessedAdapter, 'facts'> => ({ facts: { ...one!.facts, ...facts } });

// Changed files and bases, and many adapters in one process, are under verify.
describe('an adapter', () => {
  it('is fetched by one ticket, proven, and answers otherwise', async () => {
    const [a, b] = both();
    stage.tuning.breaks.push(3_000);
    stage.rig.assign(agent, [anItem(1), stage.item(2, a), stage.item(3, b), stage.item(4, a)]);
    for (const dep of [1, 2, 3, 4]) await stage.rig.ready(agent, dep);
    const [base, first, second, again] = [await answer(1), await answer(2), await answer(3), await answer(4)];
    expect(new Set([base, first, second]).size).toBe(3);
    expect(again).toBe(first);
    expect(stage.tuning.tickets).toBe(2);
    // The broken transfer went on where it ended.
    expect(stage.tuning.sent.map(({ from }) => from).toSorted((x, y) => x - y)).toEqual([0, 0, 3_000]);
    const prints = [1, 2, 3, 4].map((dep) => stage.rig.runnersOf(dep)[0]?.fp);
    expect(new Set(prints.slice(0, 3)).size).toBe(3);
    expect(prints[3]).toBe(prints[1]);
    const beat = stage.rig.beatOf(agent);
    expect([beat?.features, beat?.cached]).toEqual([['adapter'], []]);
    expect(agent.output()).not.toContain('ticket-');
  });
});

describe('what never gets ready', () => {
  const failed = async (dep: number, item: Pick<WitnessedAdapter, 'facts'>): Promise<string> => {
    stage.rig.assign(agent, [stage.item(dep, item)]);
    const { reason, detail } = await stage.failed(agent, dep);
    expect(stage.served()).not.toContain(dep);
    expect(detail).not.toBeNull();
    return String(reason);
  };

  it('is another adapter under its name', async () => {
    const [, b] = both();
    const unstored = await stage.adapter({ seed: 3 });
    stage.tuning.adapters.delete(unstored.facts.id);
    expect(await failed(10, unstored)).toBe('adapter_missing');
    const replaced = await stage.adapter({ seed: 4 });
    stage.tuning.replaced.set(replaced.facts.id, b.content);
    expect(await failed(11, replaced)).toBe('adapter_mismatch');
    // The right bytes by their hash, and the stored answers of another adapter: mixed up when they were stored.
    expect(await failed(12, other({ witness: b.facts.witness }))).toBe('witness_failed');
    expect(stage.rig.loadOf(agent, 12)?.detail).toMatch(/\d\.\d{4} away/);
    expect(await failed(14, other({ sha256: '0'.repeat(64) }))).toBe('adapter_mismatch');
  });
});
