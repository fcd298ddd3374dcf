import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PLACES, type SplitPlan, validateDataset } from '@slipway/datasets';
import type { LlamaScorer } from '@slipway/engine-llama';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { prepareDataset } from '../../../apps/training-worker/src/training/prepare-dataset.js';
import { openDemo } from '../training-stage.js';

let folder: string;
let scorer: LlamaScorer;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'slipway-split-'));
  scorer = await openDemo();
});
afterAll(async () => {
  await scorer?.dispose();
  await rm(folder, { recursive: true });
});

const line = (...texts: string[]): string =>
  `${JSON.stringify({ messages: texts.map((content, i) => ({ role: i % 2 ? 'assistant' : 'user', content })) })}\n`;

/** To each prompt an answer, the same prompt in other writing, and a conversation that begins with it. */
const version = (from: number, to: number): string =>
  Array.from({ length: to - from }, (_, i) => from + i)
    .flatMap((n) => [
      line(`Which number is ${n}?`, `It is ${n}.`),
      line(` which number is ${n} `, `Number ${n}.`),
      line(`Which number is ${n}?`, 'Guess.', `Number ${n}?`, 'Yes.'),
    ])
    .join('');

async function planOf(text: string, learned: readonly number[] = []): Promise<SplitPlan> {
  const { split } = await validateDataset([Buffer.from(text)] as unknown as AsyncIterable<Uint8Array>, { learned }, {});
  return split;
}

interface Sides {
  readonly learned: Set<string>;
  readonly held: Set<string>;
  readonly heldExamples: number;
}

/** Numbers of the prompts that the trainer gets, and of those that are held out. */
async function sides(text: string, heldOut: number, spared: readonly number[] = []): Promise<Sides> {
  const dataset = join(folder, 'data.jsonl');
  await writeFile(dataset, text);
  await rm(join(folder, 'held.jsonl'), { force: true });
  const settings = { seed: 1, heldOut, learned: spared, tooLong: 'leave_out' as const };
  const rest = { takesWeights: true, chooseFirst: () => Promise.resolve(0), signal: new AbortController().signal };
  await prepareDataset({ dataset, folder, texts: scorer.texts, context: 1_024, settings, ...rest });
  const read = async (name: string): Promise<string[]> => {
    const written = await readFile(join(folder, name), 'utf8').catch(() => '');
    return written.split('\n').filter(Boolean);
  };
  const prompts = (lines: readonly string[]): Set<string> =>
    new Set(lines.map((each) => /umber is (\d+)/.exec((JSON.parse(each) as { messages: [{ content: string }] }).messages[0].content)![1]!));
  const held = await read('held.jsonl');
  return { learned: prompts(await read('train.jsonl')), held: prompts(held), heldExamples: held.length };
}

const both = (a: ReadonlySet<string>, b: ReadonlySet<string>): string[] => [...a].filter((each) => b.has(each));

it('no version learns what another one holds out', async () => {
  const { below } = await planOf(version(0, 400));
  const versions = [version(0, 400), version(0, 12), version(350, 1_000), version(0, 2_500)];
  const [learned, held] = [new Set<string>(), new Set<string>()];
  for (const text of versions) {
    const one = await sides(text, below / PLACES);
    expect(both(one.held, one.learned)).toEqual([]);
    for (const prompt of one.learned) learned.add(prompt);
    for (const prompt of one.held) held.add(prompt);
  }
  expect(both(held, learned)).toEqual([]);
  expect(held.size).toBeGreaterThan(100);
});

it('prompts beyond those that are measured are not learned', async () => {
  const text = Array.from({ length: 1_500 }, (_, n) => line(`Which number is ${n}?`, `It is ${n}.`)).join('');
  const all = await sides(text, 0.5);
  expect(all.heldExamples).toBe(500);
  expect(all.learned.size).toBeGreaterThan(650);
  expect(all.learned.size).toBeLessThan(850);
  const fewer = await sides(text.slice(0, text.length / 2), 0.5);
  expect(both(fewer.held, all.learned)).toEqual([]);
  expect(both(all.held, fewer.learned)).toEqual([]);
});

it('what small versions learned is held out by none after them', async () => {
  const first = await planOf(version(0, 30));
  expect(first.few).toHaveLength(30);
  const small = await sides(version(0, 30), 0);
  expect([small.learned.size, small.held.size]).toEqual([30, 0]);
  const { below, few } = await planOf(version(0, 90), first.few!);
  expect(few).toBeNull();
  const larger = await sides(version(0, 90), below / PLACES, first.few!);
  expect(both(larger.held, small.learned)).toEqual([]);
  expect(larger.held.size).toBeGreaterThanOrEqual(5);
});

it('a version of held-out prompts alone says so', async () => {
  await expect(sides(line('Hello', 'Hi.'), 1)).rejects.toMatchObject({
    code: 'dataset_invalid',
    message: expect.stringContaining('holds out'),
  });
});
