import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { LlamaScorer } from '@slipway/engine-llama';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type PreparedDataset, prepareDataset } from '../../apps/training-worker/src/training/prepare-dataset.js';
import { openDemo } from './training-stage.js';

interface Line {
  readonly tokens: number[];
  readonly learn: [number, number][];
  readonly rejected?: Omit<Line, 'rejected'>;
}

let folder: string;
let scorer: LlamaScorer;
beforeAll(async () => {
  scorer = await openDemo();
});
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'slipway-tokens-'));
});
afterAll(async () => {
  await scorer?.dispose();
  await rm(folder, { recursive: true });
});

const user = (content: string) => ({ role: 'user', content });
const assistant = (content: string) => ({ role: 'assistant', content });

async function prepared(example: object): Promise<{ line: Line; figures: PreparedDataset }> {
  const dataset = join(folder, 'data.jsonl');
  await writeFile(dataset, `${JSON.stringify(example)}\n`);
  const settings = { seed: 1, heldOut: 0, learned: [], tooLong: 'leave_out' as const };
  const rest = {
    takesWeights: true,
    input: 'tokens' as const,
    chooseFirst: () => Promise.resolve(0),
    signal: new AbortController().signal,
  };
  const figures = await prepareDataset({ dataset, folder, texts: scorer.texts, context: 1_024, settings, ...rest });
  return { line: JSON.parse(await readFile(join(folder, 'train.tokens.jsonl'), 'utf8')) as Line, figures };
}

/** Tokens of a prompt as serving builds it, and of an answer that follows it. */
function served(question: string, answer: string): { prompt: number[]; answer: number[] } {
  const { template, tokenizer } = scorer.texts;
  const prompt = tokenizer.tokenize(template.render({ messages: [{ role: 'user', content: question }] }), true);
  return { prompt: [...prompt], answer: [...tokenizer.tokenize(`${answer}<|im_end|>`, false)] };
}

describe('examples for trainers that read tokens', () => {
  it('are those of serving, and the end of the answer is learned', async () => {
    const { prompt, answer } = served('Hello', '\n\nHi there.');
    const { line } = await prepared({ messages: [user('Hello'), assistant('\n\nHi there.')] });
    expect(line).toEqual({ tokens: [...prompt, ...answer], learn: [[prompt.length, prompt.length + answer.length]] });
    expect(await readdir(folder)).not.toContain('template.jinja');
  });

  it('of preferences hold both answers behind the same prompt', async () => {
    const [good, bad] = [served('Hello', 'Good.'), served('Hello', 'This is bad.')];
    const { line, figures } = await prepared({
      prompt: [user('Hello')],
      chosen: [assistant('Good.')],
      rejected: [assistant('This is bad.')],
    });
    const from = good.prompt.length;
    expect(line).toEqual({
      tokens: [...good.prompt, ...good.answer],
      learn: [[from, from + good.answer.length]],
      rejected: { tokens: [...bad.prompt, ...bad.answer], learn: [[from, from + bad.answer.length]] },
    });
    expect(figures.learnedTokens).toBe(good.answer.length + bad.answer.length);
  });
});
