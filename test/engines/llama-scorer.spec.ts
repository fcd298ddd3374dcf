import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AdapterScorer, LlamaScorer } from '../../libs/engine-llama/src/llama-scorer.js';
import { DEMO_MODEL, demoEngine } from './demo-engine.js';
import { ask, run, SETTINGS } from './engine-run.js';

let scorer: LlamaScorer;
let base: AdapterScorer;
let folder: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'slipway-scorer-'));
  const signal = new AbortController().signal;
  scorer = await LlamaScorer.open({ path: DEMO_MODEL, threads: 1, log: SETTINGS.log, signal });
  base = await scorer.scoring(null, 256);
});
afterAll(async () => {
  await base.dispose();
  await scorer.dispose();
  rmSync(folder, { recursive: true });
});

function promptOf(content: string): number[] {
  const { template, tokenizer } = scorer.texts;
  return tokenizer.tokenize(template.render({ messages: [{ role: 'user', content }] }), true);
}

describe('LlamaScorer', () => {
  it('gives its own greedy answer high probabilities', async () => {
    const prompt = promptOf('What is 2 + 3?');
    const { tokens, text, end } = await base.answer(prompt, 40);
    expect(text).toBe('2 + 3 = 5.');
    const logprobs = await base.logprobs([...prompt, ...tokens, end ?? 0], prompt.length);
    expect(logprobs).toHaveLength(tokens.length + 1);
    for (const logprob of logprobs) expect(logprob).toBeGreaterThan(Math.log(0.2));
  });

  it('scores as the engine reports log probabilities', async () => {
    const engine = await demoEngine();
    const answer = await run(engine, ask('What is 2 + 3?', { sampling: { temperature: 0 }, logprobs: 0 }));
    await engine.unload();
    const prompt = promptOf('What is 2 + 3?');
    const { tokens } = await base.answer(prompt, 40);
    const ours = await base.logprobs([...prompt, ...tokens], prompt.length);
    const theirs = answer.events.flatMap((event) => ('lp' in event ? (event.lp ?? []) : [])).map(({ p }) => p);
    expect(theirs).toHaveLength(ours.length);
    for (const [i, logprob] of ours.entries()) expect(logprob).toBeCloseTo(theirs[i] ?? NaN, 2);
  });

  it('scores the same text the same again', async () => {
    const tokens = promptOf('Hello');
    const first = await base.logprobs(tokens, 1);
    await base.answer(promptOf('What is 2 + 3?'), 5);
    expect(await base.logprobs(tokens, 1)).toEqual(first);
  });

  it('ends an answer at its bound', async () => {
    expect(await base.answer(promptOf('What is 2 + 3?'), 2)).toMatchObject({ end: null, tokens: { length: 2 } });
  });

  it('refuses a text that is longer than its context', async () => {
    await expect(
      base.logprobs(
        Array.from({ length: 300 }, () => 65),
        1,
      ),
    ).rejects.toThrow(RangeError);
  });

  it('refuses a file that is no adapter', async () => {
    const path = join(folder, 'adapter.gguf');
    writeFileSync(path, 'no adapter');
    await expect(scorer.scoring(path, 256)).rejects.toThrow('The adapter does not fit this model.');
  });
});
