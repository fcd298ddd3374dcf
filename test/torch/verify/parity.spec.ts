import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { unpackTar } from '../../../apps/training-worker/src/results/tar.js';
import type { AdapterScorer } from '../../../apps/training-worker/src/scoring.js';
import { HfBases } from '../../../apps/training-worker/src/trainers/torch/hf-bases.js';
import type { Trainer } from '../../../apps/training-worker/src/trainers/trainer.js';
import { DEMO_MODEL } from '../../engines/demo-engine.js';
import { called, cities, turns } from '../../training/conversations.js';
import { sampleData } from '../../training/sample.js';
import { adapterOf, openDemo, TrainingStage } from '../../training/training-stage.js';
import { TORCH_PYTHON, torchMissing, torchTrainer } from '../torch-stage.js';

const ANSWERS = fileURLToPath(new URL('../greedy-answers.py', import.meta.url));
const CONVERTER = fileURLToPath(new URL('../../../trainers/torch/convert.py', import.meta.url));
const TOKENS = 24;
/** The part by which the trainer's first loss may differ from that of serving. */
const BOUND = 0.02;
const lines = (all: readonly object[]): string => all.map((one) => `${JSON.stringify(one)}\n`).join('');

describe.skipIf(torchMissing() !== null)('the torch trainer and the serving engine', { timeout: 900_000 }, () => {
  let stage: TrainingStage;
  let trainer: Trainer;
  beforeAll(async () => {
    stage = await TrainingStage.open();
    trainer = torchTrainer(stage.folder);
  });
  afterAll(() => stage.close());

  async function trained(text: string, epochs: number): ReturnType<TrainingStage['run']> {
    const dataset = join(stage.folder, `parity-${crypto.randomUUID()}.jsonl`);
    await writeFile(dataset, text);
    return stage.run(stage.job(trainer, { dataset, settings: { rate: 1e-3, epochs } }));
  }

  it.each([
    ['for conversations of several turns', (): string => lines(cities.map(turns))],
    ['for tool calls', (): string => lines(cities.map(called))],
  ])('begin at the same loss %s', async (_, text) => {
    const { record } = await trained(text(), 1);
    const { ours, theirs } = record.data('parity') as { ours: number; theirs: number };
    expect(Math.abs(ours - theirs) / ours).toBeLessThan(BOUND);
  });

  it('answer 20 prompts with the same 24 tokens, with an adapter in both forms', async () => {
    const { outcome, record } = await trained(sampleData(), 4);
    const { ours, theirs } = record.data('parity') as { ours: number; theirs: number };
    expect(Math.abs(ours - theirs) / ours).toBeLessThan(BOUND);
    const { gguf, peft } = adapterOf(outcome);
    const folder = join(stage.folder, 'peft');
    await mkdir(folder);
    await unpackTar(peft, folder);
    const scorer = await openDemo();
    const scoring = await scorer.scoring(gguf, 512);
    const prompts = promptsOf(sampleData(), scorer.texts).slice(0, 20);
    const served = await answersOf(scoring, prompts);
    await scoring.dispose();
    await scorer.dispose();
    expect(await answersOfTorch(folder, prompts)).toEqual(served);
  });

  /** What PEFT answers in torch. */
  async function answersOfTorch(adapter: string, prompts: readonly number[][]): Promise<number[][]> {
    const python = TORCH_PYTHON ?? '';
    const base = await new HfBases({ folder: join(stage.folder, 'hf-bases'), converter: CONVERTER }).folderOf(DEMO_MODEL, python);
    const asked = join(stage.folder, 'asked.json');
    await writeFile(asked, JSON.stringify({ base, adapter, prompts, tokens: TOKENS }));
    const { stdout } = await promisify(execFile)(python, [ANSWERS, asked]);
    return JSON.parse(stdout) as number[][];
  }
});

type Texts = Awaited<ReturnType<typeof openDemo>>['texts'];

/** Prompts of the first questions of conversations, as serving builds them. */
function promptsOf(text: string, { template, tokenizer }: Texts): number[][] {
  const questions = text
    .trimEnd()
    .split('\n')
    .map((line) => (JSON.parse(line) as { messages: { role: string; content: string }[] }).messages[0]!);
  return questions.map(({ content }) => [...tokenizer.tokenize(template.render({ messages: [{ role: 'user', content }] }), true)]);
}

/** Greedy answers as served, to the token that ends them. */
async function answersOf(scoring: AdapterScorer, prompts: readonly number[][]): Promise<number[][]> {
  const all: number[][] = [];
  for (const prompt of prompts) {
    const { tokens, end } = await scoring.answer(prompt, TOKENS);
    all.push([...tokens, ...(end === null ? [] : [end])].slice(0, TOKENS));
  }
  return all;
}
