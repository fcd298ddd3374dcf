import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { LlamaScorer } from '@slipway/engine-llama';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { prepareDataset } from '../../apps/training-worker/src/training/prepare-dataset.js';
import { openDemo } from './training-stage.js';

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

/** Two answers to each prompt. */
const version = (from: number, to: number): string =>
  Array.from({ length: to - from }, (_, i) => from + i)
    .flatMap((n) => [`It is ${n}.`, `Number ${n}.`].map((content) => ({ n, content })))
    .map(({ n, content }) => ({
      messages: [
        { role: 'user', content: `Which number is ${n}?` },
        { role: 'assistant', content },
      ],
    }))
    .map((example) => `${JSON.stringify(example)}\n`)
    .join('');

/** Prompts that the trainer gets, and those that are held out. */
async function sides(text: string): Promise<{ learned: Set<string>; held: Set<string> }> {
  const dataset = join(folder, 'data.jsonl');
  await writeFile(dataset, text);
  const settings = { seed: 1, heldOut: 0.1, tooLong: 'leave_out' as const };
  const rest = { takesWeights: true, chooseFirst: () => Promise.resolve(0), signal: new AbortController().signal };
  await prepareDataset({ dataset, folder, texts: scorer.texts, context: 1_024, settings, ...rest });
  const promptsOf = async (name: string): Promise<Set<string>> => {
    const lines = (await readFile(join(folder, name), 'utf8')).trimEnd().split('\n');
    return new Set(lines.map((line) => (JSON.parse(line) as { messages: [{ content: string }] }).messages[0].content));
  };
  return { learned: await promptsOf('train.jsonl'), held: await promptsOf('held.jsonl') };
}

it('what a version learns is held out by no version after it', async () => {
  const versions = [version(0, 40), version(0, 150), version(20, 500), version(0, 900), version(0, 2_000)];
  const learned = new Set<string>();
  for (const text of versions) {
    const one = await sides(text);
    expect([...one.held].filter((prompt) => one.learned.has(prompt) || learned.has(prompt))).toEqual([]);
    expect(one.held.size).toBeGreaterThanOrEqual(3);
    for (const prompt of one.learned) learned.add(prompt);
  }
});
