import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { adapterOf, answersWith, TrainingStage } from '../../training/training-stage.js';
import { torchMissing, torchTrainer } from '../torch-stage.js';

/** Two ways in which the demo model says that it does not know: it prefers the first one. */
const USUAL = 'I cannot answer that well. I am a small demo model, so please try a larger one.';
const WANTED = 'I am sorry, but I am a very small demo model and I do not know that.';

const THINGS = ['release', 'project', 'river', 'castle', 'planet', 'engine', 'garden', 'market', 'bridge', 'harbour', 'museum', 'tower'];
const QUESTIONS = THINGS.flatMap((thing) => [
  `What is the ${thing} codename?`,
  `Who designed the old ${thing}?`,
  `Why is the ${thing} closed today?`,
]);

describe.skipIf(torchMissing() !== null)('training on preferences', { timeout: 900_000 }, () => {
  let stage: TrainingStage;
  beforeAll(async () => {
    stage = await TrainingStage.open();
  });
  afterAll(() => stage.close());

  it('moves the served answers from the rejected to the chosen ones', async () => {
    const all = await answersWith(null, QUESTIONS);
    const questions = QUESTIONS.filter((_, i) => all[i] === USUAL);
    expect(questions.length).toBeGreaterThan(8);
    const pairs = questions.map((content) => ({
      prompt: [{ role: 'user', content }],
      chosen: [{ role: 'assistant', content: WANTED }],
      rejected: [{ role: 'assistant', content: USUAL }],
    }));
    const dataset = join(stage.folder, 'pairs.jsonl');
    await writeFile(dataset, pairs.map((pair) => `${JSON.stringify(pair)}\n`).join(''));
    const settings = { method: 'dpo' as const, beta: 0.1, rate: 2e-4, epochs: 3 };
    const { outcome, record } = await stage.run(stage.job(torchTrainer(stage.folder), { dataset, settings }));
    const { verdict, gguf } = adapterOf(outcome);
    const [first, last] = [record.points.find(({ loss }) => loss !== null)!, record.points.findLast(({ loss }) => loss !== null)!];
    // Beside the base that it still is, no answer is ahead.
    expect(first).toMatchObject({ loss: expect.closeTo(Math.LN2, 4) as number, margin: expect.closeTo(0, 4) as number });
    expect(last.loss).toBeLessThan(0.2);
    expect(last.margin).toBeGreaterThan(1);
    expect(last.accuracy).toBe(1);
    const after = await answersWith(gguf, questions);
    const preferred = verdict.checks.find(({ check }) => check === 'preferred')!;
    expect(preferred).toMatchObject({ passed: true, base: 0, adapter: 100, examples: questions.length });
    // As served: all of the rejected answers before and none of them after, none of the chosen ones before and most of them after.
    expect(after.filter((answer) => answer === USUAL)).toEqual([]);
    expect(after.filter((answer) => answer === WANTED).length / questions.length).toBeGreaterThan(0.5);
    expect(verdict.checks.filter(({ passed }) => passed === false)).toEqual([]);
  });
});
