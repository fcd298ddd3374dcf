import { readdirSync } from 'node:fs';
import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { AccountId, type ServedAdapter } from '@slipway/contracts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { WitnessedAdapter } from '../../adapters/witnessed-adapter.js';
import { isAlive } from '../../testing/is-alive.js';
import { AdapterStage } from '../adapter-stage.js';
import { anItem } from '../an-item.js';
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

  it('is fetched again when its cached file changed', async () => {
    const [a] = both();
    stage.rig.assign(agent, [stage.item(7, a)]);
    await stage.rig.ready(agent, 7);
    stage.rig.assign(agent, []);
    await until('nothing is loaded', () => stage.rig.beatOf(agent)?.loads.length === 0);
    const cache = join(stage.rig.folder, 'cache');
    for (const name of readdirSync(cache).filter((found) => found.length === 64)) {
      const file = join(cache, name, 'files/file.gguf');
      const bytes = await readFile(file);
      bytes[bytes.length - 40] = (bytes.at(-40) ?? 0) ^ 1;
      await writeFile(file, bytes);
    }
    const before = stage.tuning.tickets;
    stage.rig.assign(agent, [stage.item(5, a)]);
    await stage.rig.ready(agent, 5);
    expect(stage.tuning.tickets).toBe(before + 1);
  });

  it('is not needed again by what runs', async () => {
    await stage.tuning.pause();
    expect(await answer(5)).not.toBe('');
    stage.rig.assign(agent, [stage.item(5, both()[0]), stage.item(6, both()[0])]);
    await stage.rig.ready(agent, 6);
    await stage.tuning.resume();
  });
});

describe('what never gets ready', () => {
  const failed = async (dep: number, item: Pick<WitnessedAdapter, 'facts'>): Promise<string> => {
    stage.rig.assign(agent, [stage.item(dep, item)]);
    const { reason, detail } = await stage.rig.failed(agent, dep);
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

  it('is an adapter on another or a changed base', async () => {
    const [a] = both();
    expect(await failed(20, other({ base_sha256: '0'.repeat(64) }))).toBe('adapter_mismatch');
    const bytes = await readFile(stage.base);
    for (let at = bytes.length - 400_000; at < bytes.length; at += 100) bytes[at] = (bytes[at] ?? 0) ^ 8;
    await writeFile(`${stage.base}.new`, bytes);
    const whole = await readFile(stage.base);
    await rename(`${stage.base}.new`, stage.base);
    expect(await failed(22, a)).toBe('adapter_mismatch');
    await writeFile(stage.base, whole);
    stage.rig.assign(agent, [stage.item(23, a)]);
    await stage.rig.ready(agent, 23);
  });

  it('is an adapter on an engine that loads none', async () => {
    stage.rig.assign(agent, [stage.item(24, one!, { source: { kind: 'http', url: 'http://127.0.0.1:9/v1', model: 'm' } })]);
    expect((await stage.rig.failed(agent, 24)).reason).toBe('engine_refused');
  });
});

describe('many adapters', () => {
  it('of one account and base share a process, and leave it alone', async () => {
    const [a, b] = both();
    const foreign = stage.item(53, a, { account: AccountId.parse(2) });
    stage.rig.assign(agent, [stage.item(51, a), stage.item(52, b), foreign, anItem(54)]);
    const pids: (number | null)[] = [];
    for (const dep of [51, 52, 53, 54]) pids.push((await stage.rig.ready(agent, dep)).pid);
    expect(pids[0]).toBe(pids[1]);
    expect(new Set(pids).size).toBe(3);
    const [kept, before] = [stage.rig.ask(52, 'Hello', { endless: true }), await answer(52)];
    stage.rig.assign(agent, [stage.item(52, b), foreign, anItem(54)]);
    await until('the other one has left', () => stage.rig.loadOf(agent, 51) === undefined);
    expect((await kept.done).end.fin).toBe('done');
    expect([stage.rig.loadOf(agent, 52)?.pid, await answer(52)]).toEqual([pids[1], before]);
    stage.rig.assign(agent, [stage.item(52, b), stage.item(55, a)]);
    expect((await stage.rig.ready(agent, 55)).pid).toBe(pids[1]);
    stage.rig.assign(agent, []);
    await until('the process has ended', () => !isAlive(pids[1]!));
  });
});
