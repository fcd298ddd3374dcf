import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { AdapterStage } from '../adapter-stage.js';
import type { Agent } from '../rig.js';
import { until } from '../until.js';

const ADAPTERS = 20;
const REQUESTS = 200;
/** Two for each adapter: a replica refuses what its queue does not hold. */
const AT_ONCE = 40;
/** With more, two answers of one replica share a batch, whose rounding decides between tokens that are equally likely. */
const ONE_SLOT = { slots: 1 };

let stage: AdapterStage;
let agent: Agent;
beforeAll(async () => {
  stage = await AdapterStage.open();
  agent = await stage.rig.startAgent();
});
afterAll(() => stage.close());

/** Resident memory of a process, in MB. */
const residentMb = (pid: number): number =>
  (Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) * 1_024) / 1e6;

const answer = async (dep: number): Promise<string> => (await stage.rig.ask(dep, 'Who are you?', { maxTokens: 32 }).done).text;

it('twenty adapters answer 200 requests, none as another', async () => {
  const deps = Array.from({ length: ADAPTERS }, (_, i) => 100 + i);
  const items = [];
  for (const dep of deps) items.push(stage.item(dep, await stage.adapter({ seed: dep }), ONE_SLOT));
  stage.rig.assign(agent, items);
  await until('all adapters are ready', () => deps.every((dep) => stage.rig.loadOf(agent, dep)?.state === 'ready'), 300_000);
  expect(new Set(deps.map((dep) => stage.rig.loadOf(agent, dep)?.pid)).size).toBe(1);
  const alone = new Map<number, string>();
  for (const dep of deps) alone.set(dep, await answer(dep));
  // Adapters without training may agree by chance; nearly all must differ for the comparison to mean something.
  expect(new Set(alone.values()).size).toBeGreaterThan(ADAPTERS * 0.8);
  const wrong: number[] = [];
  let answers = 0;
  const lane = async (nth: number): Promise<void> => {
    const dep = deps[nth % ADAPTERS]!;
    for (; answers < REQUESTS; answers += 1) if ((await answer(dep)) !== alone.get(dep)) wrong.push(dep);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, (_, nth) => lane(nth)));
  expect(answers).toBeGreaterThanOrEqual(REQUESTS);
  expect(wrong).toEqual([]);
}, 600_000);

it('fifty adapters of one base take less than 10 MB each', async () => {
  const [first, ...others] = Array.from({ length: 50 }, (_, i) => 300 + i);
  const made = new Map<number, Awaited<ReturnType<AdapterStage['adapter']>>>();
  for (const dep of [first!, ...others]) made.set(dep, await stage.adapter({ seed: dep }));
  const assigned = (deps: readonly number[]): void =>
    stage.rig.assign(
      agent,
      deps.map((dep) => stage.item(dep, made.get(dep)!, ONE_SLOT)),
    );
  assigned([first!]);
  const { pid } = await stage.rig.ready(agent, first!);
  const before = residentMb(pid!);
  assigned([first!, ...others]);
  await until('all adapters are ready', () => others.every((dep) => stage.rig.loadOf(agent, dep)?.state === 'ready'), 300_000);
  expect(stage.rig.loadOf(agent, others.at(-1)!)?.pid).toBe(pid);
  expect((residentMb(pid!) - before) / others.length).toBeLessThan(10);
}, 600_000);
